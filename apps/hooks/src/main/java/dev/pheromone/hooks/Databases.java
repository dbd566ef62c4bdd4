package dev.pheromone.hooks;

import java.util.Set;
import java.util.regex.Pattern;

/// `sqlite3` and `psql` with one plain question: other texts may read files, write them and run
/// commands.
final class Databases {
    private static final Set<String> PROGRAMS = Set.of("sqlite3", "psql");

    private static final Set<String> FLAGS =
            Set.of(
                    ("-header -headers -noheader -csv -json -column -line -list -table -markdown"
                                    + " -box -readonly -batch -t -A -q -x -X -1")
                            .split(" "));

    private static final Set<String> VALUED =
            Set.of("-c", "--command", "-d", "--dbname", "-h", "--host", "-p", "-U", "--username");

    private static final Pattern PLAIN_QUESTION =
            Pattern.compile(
                    "(?is)\\s*(?:select|insert|update|delete|explain)\\b"
                        + "(?:[^\\\\(]|\\b(?:count|sum|min|max|avg|lower|upper|length|date|values)\\s*\\("
                        + "[^\\\\()]*\\))*");

    /// Commands of the program itself that only tell.
    private static final Pattern TELLING =
            Pattern.compile("\\.(?:tables|schema|indexes|databases|dbinfo)(?: [\\w%]+)?");

    private static final Pattern RISKY =
            Pattern.compile(
                    "(?im)^\\s*\\.|\\b(?:attach|copy|program|load\\w*|vacuum|outfile|\\w*file\\w*)\\b");

    private Databases() {}

    /// Whether the call is a plain question; then the database is all that it touches.
    static boolean asksPlainly(Invocation call) throws ShellSyntaxException {
        if (!PROGRAMS.contains(call.program()) || call.text() != null || call.state().piped) {
            return false;
        }
        boolean asked = false;
        String option = "";
        Shape database = Shape.EMPTY;
        for (int i = 0; i < call.arguments().size(); i++) {
            String word = call.plain(i);
            if (word == null) {
                return false;
            }
            boolean valued = call.program().equals("psql") && VALUED.contains(option);
            boolean command = valued && (option.equals("-c") || option.equals("--command"));
            if (!valued && word.startsWith("-")) {
                option = word;
                if (!FLAGS.contains(word) && !VALUED.contains(word)) {
                    return false;
                }
                continue;
            }
            option = "";
            boolean question =
                    TELLING.matcher(word).matches()
                            || (PLAIN_QUESTION.matcher(word).matches()
                                    && !RISKY.matcher(word).find());
            if (command || (!valued && !database.isEmpty())) {
                asked = true;
                if (!question) {
                    return false;
                }
            } else if (!valued) {
                database = call.arguments().get(i);
            }
        }
        call.guess(database, Doubt.ANYTHING, Extent.PATH);
        return asked;
    }
}
