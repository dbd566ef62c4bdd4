package dev.pheromone.hooks;

import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/// `sqlite3`, `psql`, `mysql` and `mongosh` with plain questions: other texts may read files, write
/// them and run commands.
final class Databases {
    private static final Pattern FLAG =
            Pattern.compile(
                    "-(?:header|headers|noheader|csv|json|column|line|list|table|markdown|box|readonly|batch)"
                        + "|-[tAqxX1wNBs]+|--(?:tuples-only|no-align|no-psqlrc|quiet|csv|expanded|batch|table"
                        + "|silent|skip-column-names|no-password)|-p\\w+|--password=\\w*");

    /// Options with a value in the next word.
    private static final Map<String, Set<String>> VALUED =
            Map.of(
                    "sqlite3",
                    Set.of(),
                    "psql",
                    Set.of("-c --command -d --dbname -h --host -p --port -U --username".split(" ")),
                    "mysql",
                    Set.of("-e --execute -D --database -h --host -P --port -u --user".split(" ")),
                    "mongosh",
                    Set.of("--eval --host --port -u --username -p --password".split(" ")));

    private static final Set<String> ASKING =
            Set.of("-c", "--command", "-e", "--execute", "--eval");

    /// Its questions are code.
    private static final Pattern MONGO =
            Pattern.compile("(?:db|rs|sh)(?:\\.\\w+(?:\\([\\w\\s:,.'\"{}$\\[\\]-]*\\))?)+;?");

    private static final Pattern PLAIN_QUESTION =
            Pattern.compile(
                    "(?is)\\s*(?:select|insert|update|delete|explain|show|describe)\\b"
                        + "(?:[^\\\\(]|\\b(?:count|sum|min|max|avg|lower|upper|length|date|values|now|version"
                        + "|coalesce|round|in|array_agg|string_agg|json_agg|to_char|extract|database)\\s*\\("
                        + "[^\\\\()]*\\))*");

    /// Commands of the programs themselves that only tell.
    private static final Pattern TELLING =
            Pattern.compile(
                    "\\.(?:tables|schema|indexes|databases|dbinfo)(?: [\\w%]+)?"
                            + "|\\\\(?:d[tnvisufdp]?[S+]*|l\\+?|conninfo)(?: [\\w.*]+)?");

    private static final Pattern RISKY =
            Pattern.compile(
                    "(?im)^\\s*\\.|\\b(?:attach|copy|program|load\\w*|vacuum|outfile|\\w*file\\w*)\\b");

    /// In `mysql` a line, or a second command, may be one for the program itself.
    private static final Pattern RISKY_IN_MYSQL = Pattern.compile("\\n|;\\s*\\S");

    private Databases() {}

    /// Whether the call is a plain question; then the database is all that it touches.
    static boolean asksPlainly(Invocation call) throws ShellSyntaxException {
        Set<String> valuedOptions = VALUED.get(call.program());
        if (valuedOptions == null || call.text() != null || call.state().piped) {
            return false;
        }
        boolean lite = call.program().equals("sqlite3");
        boolean asked = false;
        String option = "";
        Shape database = Shape.EMPTY;
        for (Shape argument : call.arguments()) {
            String word = argument.toString();
            boolean valued = valuedOptions.contains(option);
            boolean command = valued && ASKING.contains(option);
            if (argument.equals(Shape.GIVEN_VALUE) && !lite && !command) {
                // The address of a server.
                option = "";
                continue;
            }
            if (!argument.isPlain()) {
                return false;
            }
            if (!valued && word.startsWith("-")) {
                option = word;
                if (!FLAG.matcher(word).matches() && !valuedOptions.contains(word)) {
                    return false;
                }
                continue;
            }
            option = "";
            if (command || (!valued && !database.isEmpty())) {
                asked = true;
                if (!isPlain(call.program(), word)) {
                    return false;
                }
            } else if (!valued) {
                database = argument;
            }
        }
        call.guess(database, Doubt.ANYTHING, Extent.PATH);
        return asked;
    }

    private static boolean isPlain(String program, String text) {
        if (program.equals("mongosh")) {
            return MONGO.matcher(text).matches();
        }
        boolean odd = program.equals("mysql") && RISKY_IN_MYSQL.matcher(text).find();
        return TELLING.matcher(text).matches()
                || (PLAIN_QUESTION.matcher(text).matches() && !RISKY.matcher(text).find() && !odd);
    }
}
