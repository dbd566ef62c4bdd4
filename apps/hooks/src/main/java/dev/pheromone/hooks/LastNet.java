package dev.pheromone.hooks;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/// The last net, under everything that is followed properly: a text that some program may run, or
/// take names from. Whatever in it could be a path is taken for one.
final class LastNet {
    private static final int TEXT_LENGTH_MAX = 64 * 1024;

    /// More names than this in one text are not looked at one by one.
    private static final int NAMES_MAX = 500;

    private static final Pattern BETWEEN_NAMES =
            Pattern.compile("[\\s'\"`()<>|;&,=:{}\\[\\]$@!#%^+\\u0000]+");

    /// `\n`, `\0`: in many languages the end of a name.
    private static final Pattern ESCAPE = Pattern.compile("\\\\[0-9a-z]");

    private static final Pattern DATA =
            Pattern.compile(
                    "(?i).+\\.(?:jsonl?|ya?ml|toml|csv|tsv|txt|log|md|xml|html?|css|svg|png|jpe?g|pdf|diff"
                        + "|patch|t?gz|zip|tar|xz|jar|whl|deb|db|sqlite|sql)");

    /// Files that tools run without being told their names.
    private static final Map<String, List<String>> FOUND_BY_THEMSELVES =
            Map.of(
                    "make", List.of("Makefile", "makefile", "GNUmakefile"),
                    "gmake", List.of("Makefile", "makefile", "GNUmakefile"),
                    "just", List.of("justfile", "Justfile", ".justfile"),
                    "npm", List.of("package.json"),
                    "pnpm", List.of("package.json"),
                    "yarn", List.of("package.json"),
                    "bun", List.of("package.json"),
                    "pytest", List.of("conftest.py"),
                    "python", List.of("conftest.py"),
                    "python3", List.of("conftest.py"));

    /// They run what they are given, whatever its name.
    private static final Set<String> RUNNING_ANYTHING =
            Set.of(
                    ("make gmake just rake task ninja ant mvn mvnw gradle cmake deno bun uv"
                                    + " ansible-playbook crontab docker docker-compose podman")
                            .split(" "));

    private LastNet() {}

    /// Notes every argument of `call`, and what it is given to read.
    static void noteAll(Invocation call) throws ShellSyntaxException {
        for (Shape argument : call.arguments()) {
            note(call, argument);
        }
        noteInput(call);
    }

    /// Notes what a program is given to read, as far as it stands in the command.
    static void noteInput(Invocation call) throws ShellSyntaxException {
        Shape text = call.text();
        List<Shape> input = call.state().input;
        if (text != null) {
            note(call, text);
        } else if (input != null) {
            note(call, Builtins.joined(input));
        } else if (call.state().piped) {
            for (Shape fed : call.run().log().fed()) {
                note(call, fed);
            }
        }
    }

    /// Notes what was written to files by then, as far as it stands in the command and may be run.
    static void noteWritten(Invocation call) throws ShellSyntaxException {
        for (Shape text : call.run().log().writtenToRun()) {
            note(call, text);
        }
        for (String file : FOUND_BY_THEMSELVES.getOrDefault(call.program(), List.of())) {
            noteRun(call, Shape.of(file));
        }
        if (call.run().log().hasUnclearBuild()) {
            call.doubt("may run what another program has written");
        }
    }

    /// Notes what was written to `file` by then, which `call` runs.
    static void noteRun(Invocation call, Shape file) throws ShellSyntaxException {
        Shape text = call.run().log().written(file);
        note(call, text);
        if (call.run().log().isUnclear(file)) {
            call.doubt("runs what another program has written");
        } else if (!text.isEmpty()) {
            WrittenTexts.follow(call, file, text);
        }
    }

    /// Notes what was written to `file` by then, which `call` may run, unless it is data by its
    /// name.
    static void noteNamed(Invocation call, Shape file) throws ShellSyntaxException {
        boolean data = DATA.matcher(file.toString()).matches();
        if (data && !RUNNING_ANYTHING.contains(call.program())) {
            note(call, call.run().log().written(file));
        } else {
            noteRun(call, file);
        }
    }

    /// Notes a text that `call` may run.
    static void note(Invocation call, Shape text) throws ShellSyntaxException {
        note(text, call.state(), call.run().log());
    }

    static void note(Shape text, ShellState state, TouchLog log) throws ShellSyntaxException {
        String plain = plain(text);
        if (plain.isBlank()) {
            return;
        }
        if (plain.length() > TEXT_LENGTH_MAX) {
            log.doubt("a text is too long to look through");
            return;
        }
        log.mention(plain);
        OwnWords.noteText(plain, log);
        Set<String> names = names(plain);
        names.removeIf(name -> name.indexOf('/') < 0 && name.indexOf('.') < 0);
        if (names.size() > NAMES_MAX) {
            log.doubt("a text has too many names to look at");
            return;
        }
        for (String name : names) {
            log.touch(Shape.of(name), state.folders(), Extent.PATH, Doubt.ANYTHING, true);
            if (name.indexOf('/') >= 0 && name.indexOf('*') + name.indexOf('?') > -2) {
                Shape wild = Shape.of(name).withWildcards();
                log.touch(wild, state.folders(), Extent.PATH, Doubt.ANYTHING, true);
            }
        }
    }

    /// The words of a text that could be paths.
    static Set<String> names(String text) {
        var names = new LinkedHashSet<String>();
        for (String form : List.of(text, ESCAPE.matcher(text).replaceAll(" "))) {
            for (String name : BETWEEN_NAMES.split(form, -1)) {
                names.add(name);
                names.add(name.replace("\\", ""));
            }
        }
        names.remove("");
        return names;
    }

    /// Whether a text in a variable or a subscript holds commands of its own: evaluated once more,
    /// they run.
    static boolean holdsCommands(Shape text) {
        String plain = plain(text);
        return plain.contains("$(") || plain.contains("`") || plain.contains("${ ");
    }

    /// The text, with something that is part of no name where it is not known.
    private static String plain(Shape text) {
        var out = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            out.appendCodePoint(Math.max(text.at(i), 0));
        }
        return out.toString();
    }
}
