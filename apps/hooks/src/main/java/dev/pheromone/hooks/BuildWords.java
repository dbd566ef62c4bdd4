package dev.pheromone.hooks;

import dev.pheromone.guard.Access;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The words of build tools, test runners and their like: goals, names of files, and other programs
/// with their words. What these do by themselves is not seen here; what they are told is.
final class BuildWords {
    /// Their words are questions to a document or to a server: nothing here runs them.
    private static final Set<String> QUERYING = Set.of("jq", "gojq", "gh", "glab", "hub");

    /// They run another program; some right away, the others if they are told by these words.
    private static final Map<String, Set<String>> RUNNING =
            Map.ofEntries(
                    Map.entry("npx", Set.of()),
                    Map.entry("bunx", Set.of()),
                    Map.entry("pnpx", Set.of()),
                    Map.entry("npm", Set.of("exec", "x")),
                    Map.entry("yarn", Set.of("exec", "dlx")),
                    Map.entry("pnpm", Set.of("exec", "dlx")),
                    Map.entry("bun", Set.of("x")),
                    Map.entry("uv", Set.of("run")),
                    Map.entry("poetry", Set.of("run")),
                    Map.entry("pipenv", Set.of("run")),
                    Map.entry("conda", Set.of("run")),
                    Map.entry("composer", Set.of("exec")),
                    Map.entry("bundle", Set.of("exec")));

    /// They run code that is given to them as their input.
    private static final Map<String, String> LANGUAGES =
            Map.of("uv", "python", "bun", "node", "deno", "node");

    /// Options of these before the program, with a value.
    private static final Set<String> VALUED =
            Set.of("-p", "--package", "--with", "--python", "--extra", "--group", "-n", "--name");

    /// They take names of files, and run or read what is in there.
    private static final Set<String> TAKING_FILES =
            Set.of("pytest", "jest", "vitest", "mocha", "tsc", "rustc", "go", "deno", "bun");

    /// Options that make a program change what it is given.
    private static final String[] CHANGING = {
        "--write", "--fix", "--in-place", "--inplace", "--apply", "-w", "-i"
    };

    /// They give what is in a folder to everybody.
    private static final Set<String> SERVING = Set.of("serve", "http-server", "live-server");

    private static final Pattern LOADS = Pattern.compile("(?<![.\\w])(?:import|include)\\b");

    /// Options that say in which folder to work.
    private static final Pattern FOLDER =
            Pattern.compile(
                    "-C|--(?:directory|prefix|cwd|dir|working-directory|project-dir|chdir)(?:=|$)");

    private BuildWords() {}

    /// Whether its words may be commands or code, and not only texts for people.
    private static boolean runsTexts(Invocation call) {
        return !QUERYING.contains(call.program());
    }

    /// Notes one word: a path only if it looks like one.
    static void note(Invocation call, Shape word) throws ShellSyntaxException {
        // A build works here anyway; another program may do something else.
        boolean here =
                (word.is(".") || word.is("./") || word.is("./...")) && isBuild(working(call));
        if (here) {
            return;
        }
        for (Shape candidate : UnknownProgram.candidates(word)) {
            if (!candidate.hasGap()) {
                call.guess(candidate, Role.GOAL.access(), Extent.PATH);
            }
        }
        if (!runsTexts(call)) {
            return;
        }
        if (GivenInput.isOpenFile(word)) {
            // `make -f <(…)`.
            Interpreters.readScript(call, word);
        }
        LastNet.note(call, word);
        LastNet.noteNamed(call, word);
    }

    /// Notes what its words are together.
    static void settle(Invocation call) throws ShellSyntaxException {
        if (call.program().endsWith("jq")
                && call.arguments().stream().anyMatch(BuildWords::loads)) {
            call.doubt("its question loads other files", Role.READ.access());
        }
        elsewhere(call);
        if (!runsTexts(call)) {
            return;
        }
        LastNet.noteInput(call);
        LastNet.noteWritten(call);
        for (int i = 0; i + 1 < call.arguments().size(); i++) {
            String word = call.plain(i);
            if (word != null && Interpreters.isFollowed(word)) {
                // `uv run python -c …`, `npx tsx -e …`.
                call.call(call.from(i));
            }
        }
        code(call);
        Invocation working = working(call);
        boolean another = !working.program().equals(call.program());
        if (SERVING.contains(working.program())) {
            boolean named = working.arguments().stream().anyMatch(word -> !word.startsWith("-"));
            for (Shape word : named ? working.arguments() : List.of(Shape.of("."))) {
                call.touch(word, Role.READ, Extent.TREE);
            }
        }
        if (TAKING_FILES.contains(working.program())) {
            noteUnknown(working, Set.of(Access.READ));
        } else if (another && !isBuild(working)) {
            noteUnknown(working, Doubt.ANYTHING);
            if (working.hasShortened(CHANGING)) {
                for (Shape word : working.arguments()) {
                    call.guess(word, Role.WRITE.access(), Extent.TREE);
                }
            }
        }
    }

    private static boolean loads(Shape question) {
        return LOADS.matcher(question.toString()).find();
    }

    /// Notes words that count from the folder which an option names: `make -C src -f x.mk`.
    private static void elsewhere(Invocation call) throws ShellSyntaxException {
        List<Shape> arguments = call.arguments();
        for (int i = 0; i < arguments.size(); i++) {
            Matcher option = FOLDER.matcher(arguments.get(i).toString());
            if (!option.lookingAt()) {
                continue;
            }
            boolean next = option.end() == arguments.get(i).length();
            if (next && i + 1 == arguments.size()) {
                return;
            }
            Shape folder = next ? arguments.get(i + 1) : arguments.get(i).from(option.end());
            for (Shape word : folder.hasGap() ? List.<Shape>of() : arguments) {
                for (Shape candidate : UnknownProgram.candidates(word)) {
                    if (!candidate.hasGap() && !candidate.startsWith("/")) {
                        call.guess(folder.plus("/").plus(candidate), Doubt.ANYTHING, Extent.PATH);
                    }
                }
            }
        }
    }

    /// `uv run -`, `deno eval …`.
    private static void code(Invocation call) throws ShellSyntaxException {
        String language = LANGUAGES.get(call.program());
        if (language == null || call.arguments().isEmpty()) {
            return;
        }
        Shape text = call.text();
        Shape first = call.arguments().getFirst();
        if (first.is("eval") || first.is("repl")) {
            call.doubt("runs a text that is not looked into");
        } else if (call.arguments().stream().anyMatch(word -> word.is("-"))) {
            if (text == null) {
                call.doubt("runs what comes through a pipe");
            } else {
                InlineCode.follow(call.withArguments(language, List.of()), text);
            }
        }
    }

    /// Names that nobody knows before it runs.
    private static void noteUnknown(Invocation call, Set<Access> access) {
        for (Shape word : call.arguments()) {
            if (word.startsWithGap()) {
                call.doubt("\"" + word + "\" is known only when it runs", access);
            }
        }
    }

    /// The program that does the work: this one, or another one that it runs.
    private static Invocation working(Invocation call) {
        Set<String> told = RUNNING.get(call.program());
        List<Shape> arguments = call.arguments();
        if (told == null
                || arguments.isEmpty()
                || (!told.isEmpty() && !told.contains(arguments.getFirst().toString()))) {
            return call;
        }
        int i = told.isEmpty() ? 0 : 1;
        while (i < arguments.size() && arguments.get(i).startsWith("-")) {
            i += VALUED.contains(arguments.get(i).toString()) ? 2 : 1;
        }
        return i < arguments.size()
                ? call.withArguments(arguments.get(i).toString(), call.from(i + 1))
                : call;
    }

    private static boolean isBuild(Invocation call) {
        ProgramRule rule = ProgramTable.find(call.program());
        return rule != null && rule.isBuild();
    }
}
