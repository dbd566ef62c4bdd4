package dev.pheromone.hooks;

import dev.pheromone.guard.Access;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What a command writes into files, as far as it stands there, and what that does if it is run
/// later on.
final class WrittenTexts {
    /// They write what they are told or given; what others make of it, is not known.
    private static final Set<String> PLAIN = Set.of("echo", "printf", "cat", "tee", ":", "true");

    /// A character by its number.
    private static final Pattern NUMBERED = Pattern.compile("(?s).*\\\\(?:x|u|U|0|[1-7]).*");

    private static final Pattern ECHO_OPTION = Pattern.compile("-[neE]+");

    private static final Pattern SETTING = setting();

    private static Pattern setting() {
        String one = "\\.[\\w.]+ *= *(?:\"[^\"\\\\]*\"|\\$\\w+|[\\d.]+|true|false|null)";
        return Pattern.compile(
                "jq (?:--indent \\d |--tab |--arg(?:json)? \\w+ \\S+ )*"
                        + one
                        + "(?: *\\| *"
                        + one
                        + ")*(?: [\\w./-]+)*");
    }

    /// They run the lines of a text that belong to a goal.
    private static final Set<String> MAKERS = Set.of("make", "gmake", "just");

    /// They run code of a language that is not theirs by name.
    private static final Map<String, String> RUNNERS =
            Map.of("uv", "python", "bun", "node", "deno", "node", "tsx", "node", "ts-node", "node");

    private static final Pattern CODE = Pattern.compile(".+\\.(?:py|[cm]?[jt]sx?)");

    private static final Pattern COMPILED =
            Pattern.compile(
                    ".+\\.(?:go|java|rs|c|cc|cpp|cxx|m|kt|kts|swift|cs|zig|scala|hs|d|nim|cr)");

    /// Names by which programs in such languages get to files, and to other programs.
    private static final Pattern REACHING =
            Pattern.compile(
                    "\\b(?:os|io|ioutil|fs|exec|embed|syscall|unsafe|plugin|reflect|C|File\\w*|\\w*file|Path\\w*"
                        + "|nio|Scanner|Runtime|Process\\w*|Class\\w*|Method\\w*|Command|system|popen|open\\w*"
                        + "|[fi]*stream|mmap|asm|include_\\w+|std::env|readFile\\w*|FileManager|dlopen|subprocess|shutil|glob|child_process|eval|getattr|importlib|__\\w+__|\\w*exec\\w*)\\b"
                        + "|@embedFile|#embed|#include\\s*\"|\\\\u");

    private static final Pattern SCRIPTS = Pattern.compile("\"scripts\"\\s*:\\s*\\{([^}]*)");
    private static final Pattern COMMAND =
            Pattern.compile("\"[^\"]*\"\\s*:\\s*\"((?:[^\"\\\\]|\\\\.)*)\"");

    /// `$(NAME)`; but not `$@`, `$<` and `$$`, which are the names of goals, or the shell's.
    private static final Pattern VARIABLE = Pattern.compile("(?<!\\$)(?:\\$\\$)*\\$[({\\w]|\\{\\{");

    /// What stands before a command: after a goal, or on a line of its own.
    private static final Pattern RECIPE =
            Pattern.compile("^(?:\\s+|[^\\s:=#]+\\s*:(?!=)[^;]*;\\s*)[@+-]*");

    private final TouchLog log;
    private final ShellState state;
    private final GivenInput given;

    WrittenTexts(TouchLog log, ShellState state, GivenInput given) {
        this.log = log;
        this.state = state;
        this.given = given;
    }

    /// Whether the program writes what it is told or given, as it is.
    static boolean isPlain(String program) {
        return PLAIN.contains(program);
    }

    /// Notes what a command of these words writes by redirections, and to the files that it is
    /// told.
    void note(List<Shape> words, List<ShellTree.Redirect> redirects, Expansion expansion)
            throws ShellSyntaxException {
        var files = new ArrayList<Shape>();
        for (ShellTree.Redirect redirect : redirects) {
            if (redirect instanceof ShellTree.ToFile(var access, Word target)
                    && access.contains(Access.WRITE)) {
                files.add(expansion.text(target));
            }
        }
        String program = words.isEmpty() ? ":" : words.getFirst().toString();
        if (program.equals("tee")) {
            files.addAll(words.subList(1, words.size()));
        }
        if (files.isEmpty()) {
            return;
        }
        boolean prints = program.equals("echo") || program.equals("printf");
        boolean copies = program.equals("cat") || program.equals("tee");
        Shape text = prints ? printed(words) : copies ? passedOn(words) : given(words);
        boolean clear =
                (PLAIN.contains(program) || setsValues(words))
                        && !(prints && NUMBERED.matcher(text.toString()).matches())
                        && !(program.equals("printf") && text.contains('%'))
                        && !(program.equals("tee") && isFromElsewhere())
                        && !(program.equals("cat") && words.size() == 1 && isFromElsewhere())
                        && words.stream().noneMatch(log::isUnclear);
        for (Shape file : files) {
            log.wrote(file, text);
            if (!clear) {
                log.wroteUnclearly(file);
            }
        }
    }

    /// Whether it is a `jq` that does nothing but set values that stand there.
    private static boolean setsValues(List<Shape> words) {
        return words.stream().allMatch(Shape::isPlain)
                && SETTING.matcher(Builtins.joined(words).toString()).matches();
    }

    /// What `echo` and `printf` print; after most formats of `printf` there is a `%` left in it.
    private static Shape printed(List<Shape> words) {
        List<Shape> rest = words.subList(1, words.size());
        boolean option =
                !rest.isEmpty() && ECHO_OPTION.matcher(rest.getFirst().toString()).matches();
        if (words.getFirst().is("echo")) {
            Shape line = Builtins.joined(option ? rest.subList(1, rest.size()) : rest);
            if (!option) {
                return line.plus("\n");
            }
            Shape shown = rest.getFirst().contains('e') ? withoutEscapes(line) : line;
            return rest.getFirst().contains('n') ? shown : shown.plus("\n");
        }
        boolean lines = !rest.isEmpty() && rest.getFirst().is("%s\\n");
        if (!lines && (rest.isEmpty() || !rest.getFirst().is("%s"))) {
            return withoutEscapes(Builtins.joined(rest));
        }
        Shape text = Shape.EMPTY;
        for (Shape word : rest.subList(1, rest.size())) {
            text = text.plus(word).plus(lines ? "\n" : "");
        }
        return text;
    }

    private static Shape withoutEscapes(Shape text) {
        return text.replace("\\n", Shape.of("\n")).replace("\\t", Shape.of("\t"));
    }

    /// What `cat` and `tee` pass on, as far as it stands in the command.
    private Shape passedOn(List<Shape> words) {
        Shape passed = Shape.EMPTY;
        for (Shape file : words) {
            passed = passed.plus(log.written(file));
        }
        List<Shape> input = given.file() ? null : state.input;
        if (input != null) {
            passed = passed.plus(Builtins.joined(input)).plus("\n");
        }
        Shape text = given.text() == null && !given.file() ? state.text : given.text();
        return text == null ? passed : passed.plus(text).plus("\n");
    }

    /// What others may write: their words, and what they are given.
    private Shape given(List<Shape> words) {
        return Builtins.joined(words).plus(" ").plus(passedOn(words)).plus("\n");
    }

    /// Whether what is passed on comes through a pipe, and nobody knows what it is.
    private boolean isFromElsewhere() {
        return given.text() == null && state.text == null && state.input == null && state.piped;
    }

    /// Follows the text that is in `file` by then, where `call` runs it and its language is known.
    static void follow(Invocation call, Shape file, Shape text) throws ShellSyntaxException {
        String program = call.program();
        if (program.equals("source") || program.equals(".")) {
            call.run().script(text, call.state());
            return;
        }
        if (MAKERS.contains(program)) {
            recipes(call, text);
            return;
        }
        if (file.name().is("package.json")) {
            scripts(call, text.toString());
            return;
        }
        if (program.endsWith("awk")) {
            AwkProgram.follow(call, text);
            return;
        }
        if (program.endsWith("sed")) {
            SedScript.follow(call, text);
            return;
        }
        String language = language(program, file, text);
        boolean tested =
                CODE.matcher(file.toString()).matches() && !Interpreters.isFollowed(language);
        boolean reaches =
                (tested || COMPILED.matcher(file.toString()).matches())
                        && REACHING.matcher(text.toString()).find();
        if (reaches || language.isEmpty()) {
            call.doubt("runs a text that is not looked into");
        }
        if (Interpreters.isLanguage(language)) {
            InlineCode.follow(call.withArguments(language, List.of()), text);
        } else if (Interpreters.isFollowed(language)) {
            int at = call.arguments().indexOf(file);
            var words = new ArrayList<>(List.of(file));
            words.addAll(call.from(at + 1));
            call.script(text, words);
        }
    }

    /// The interpreter of a text: the program, or what the file itself says.
    private static String language(String program, Shape file, Shape text) {
        String usual = RUNNERS.get(program);
        if (usual != null) {
            return CODE.matcher(file.toString()).matches() ? usual : program;
        }
        if (!file.is(program)) {
            return program;
        }
        String first = text.toString().lines().findFirst().orElse("");
        if (!first.startsWith("#!")) {
            return "sh";
        }
        return Arrays.stream(first.split("[\\s/]+", -1))
                .filter(Interpreters::isFollowed)
                .findFirst()
                .orElse("");
    }

    /// The commands in a `package.json`.
    private static void scripts(Invocation call, String text) throws ShellSyntaxException {
        Matcher scripts = SCRIPTS.matcher(text);
        if (text.contains("\\u")) {
            call.doubt("runs a text that is not looked into");
        }
        while (scripts.find()) {
            Matcher command = COMMAND.matcher(scripts.group(1));
            while (command.find()) {
                call.script(Shape.of(command.group(1).replace("\\\"", "\"")), List.of());
            }
        }
    }

    /// The commands in a makefile. With variables of its own it can spell any name.
    private static void recipes(Invocation call, Shape text) throws ShellSyntaxException {
        if (VARIABLE.matcher(text.toString()).find()) {
            call.doubt("runs a text with variables that are not followed");
        }
        for (Shape line : text.split('\n')) {
            Matcher recipe = RECIPE.matcher(line.toString());
            if (recipe.find()) {
                call.script(line.from(recipe.end()), List.of());
            }
        }
    }
}
