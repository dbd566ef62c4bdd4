package dev.pheromone.hooks;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/// Programs that run a program text: shells, and languages with code on the command line.
final class Interpreters {
    private static final Set<String> SHELLS =
            Set.of("sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "yash", "rbash");
    private static final Pattern PYTHON = Pattern.compile("(?:python|pypy)(?:\\d(?:\\.\\d+)?)?");

    /// Languages, and the options that are followed by code.
    private static final Map<String, Set<String>> CODE_OPTIONS =
            Map.of(
                    "python", Set.of("-c"),
                    "perl", Set.of("-e", "-E"),
                    "ruby", Set.of("-e"),
                    "node", Set.of("-e", "--eval", "-p", "--print", "-pe"),
                    "nodejs", Set.of("-e", "--eval", "-p", "--print", "-pe"),
                    "php", Set.of("-r"),
                    "lua", Set.of("-e"),
                    "Rscript", Set.of("-e"),
                    "osascript", Set.of("-e"),
                    "julia", Set.of("-e", "-E"));

    /// Interpreters whose code we don't look into.
    private static final Set<String> OPAQUE =
            Set.of(
                    "fish",
                    "pwsh",
                    "powershell",
                    "csh",
                    "tcsh",
                    "deno",
                    "tclsh",
                    "jshell",
                    "ghci",
                    "R",
                    "sqlite3",
                    "psql",
                    "mysql",
                    "elisp",
                    "guile",
                    "m4",
                    "nu",
                    "xonsh",
                    "irb",
                    "ipython");

    private Interpreters() {}

    static boolean isOne(String name) {
        return SHELLS.contains(name)
                || OPAQUE.contains(name)
                || CODE_OPTIONS.containsKey(language(name));
    }

    /// Whether it runs a text that is no shell's.
    static boolean isLanguage(String name) {
        return isOne(name) && !SHELLS.contains(name);
    }

    private static String language(String name) {
        return PYTHON.matcher(name).matches() ? "python" : name;
    }

    /// Follows an interpreter; false if the program is none.
    static boolean run(Invocation call) throws ShellSyntaxException {
        if (SHELLS.contains(call.program())) {
            shell(call);
            return true;
        }
        if (OPAQUE.contains(call.program())) {
            if (call.arguments().size() != 1 || !call.has("--version", "-V", "-v")) {
                call.doubt("runs a text that is not looked into");
            }
            return true;
        }
        Set<String> options = CODE_OPTIONS.get(language(call.program()));
        if (options == null) {
            return false;
        }
        language(call, options);
        return true;
    }

    private static void shell(Invocation call) throws ShellSyntaxException {
        List<Shape> arguments = call.arguments();
        int i = 0;
        boolean command = false;
        while (i < arguments.size()
                && (arguments.get(i).startsWith("-") || arguments.get(i).startsWith("+"))) {
            String option = arguments.get(i++).toString();
            if (option.equals("-") || option.equals("--")) {
                break;
            }
            boolean cluster = !option.startsWith("--");
            command |= cluster && option.indexOf('c') > 0;
            if (option.equals("--rcfile") || option.equals("--init-file")) {
                call.touch(
                        arguments.get(Math.min(i, arguments.size() - 1)), Role.READ, Extent.PATH);
                i++;
            } else if (cluster && (option.indexOf('o') > 0 || option.indexOf('O') > 0)) {
                i++;
            }
        }
        List<Shape> rest = call.from(i);
        if (command) {
            if (!rest.isEmpty()) {
                call.script(rest.getFirst(), List.copyOf(rest.subList(1, rest.size())));
            }
        } else if (!rest.isEmpty() && !call.has("-s")) {
            call.touch(rest.getFirst(), Role.READ, Extent.PATH);
            UnknownProgram.follow(call.withArguments(call.program(), rest.subList(1, rest.size())));
        } else if (call.text() != null) {
            call.script(call.text(), rest);
        } else if (call.state().input != null) {
            call.script(Builtins.joined(call.state().input), rest);
        } else if (call.state().piped) {
            call.doubt("runs what comes through a pipe");
        }
    }

    private static void language(Invocation call, Set<String> options) throws ShellSyntaxException {
        List<Shape> arguments = call.arguments();
        boolean code = false;
        for (int i = 0; i < arguments.size(); i++) {
            Shape argument = arguments.get(i);
            if (argument.is("-") || !argument.startsWith("-")) {
                if (code || argument.is("-")) {
                    // Operands of the code: `perl -i -pe … FILE`.
                    call.guess(argument, Doubt.ANYTHING, Extent.PATH);
                } else {
                    call.touch(argument, Role.READ, Extent.PATH);
                    UnknownProgram.follow(call.withArguments(call.program(), call.from(i + 1)));
                    return;
                }
                continue;
            }
            String option = argument.toString();
            boolean cluster = !option.startsWith("--") && endsWithCode(option, options);
            if (options.contains(option) || cluster) {
                code = true;
                if (i + 1 < arguments.size()) {
                    InlineCode.follow(call, arguments.get(++i));
                }
            } else if (gluedCode(option, options)) {
                code = true;
                InlineCode.follow(call, argument.from(2));
            } else if (option.equals("-m") && i + 1 < arguments.size()) {
                if (arguments.get(i + 1).is("http.server")) {
                    call.touch(Shape.of("."), Role.READ, Extent.TREE);
                    LinkFollowing.note(call, Role.READ.access());
                }
                UnknownProgram.follow(call.withArguments(call.program(), call.from(i + 1)));
                return;
            }
        }
        readsStandardInput(call, code);
    }

    private static void readsStandardInput(Invocation call, boolean code)
            throws ShellSyntaxException {
        boolean version = call.has("--version", "-V", "-v", "--help", "-h");
        if (code || (version && call.text() == null)) {
            return;
        }
        Shape text = call.text();
        if (text != null) {
            InlineCode.follow(call, text);
        } else if (call.state().piped) {
            call.doubt("runs what comes through a pipe");
        }
    }

    /// `-pie`, `-ne`: letters of which the last takes the code.
    private static boolean endsWithCode(String option, Set<String> options) {
        return option.length() > 2
                && option.substring(1).chars().allMatch(Character::isLetterOrDigit)
                && options.contains("-" + option.charAt(option.length() - 1));
    }

    private static boolean gluedCode(String option, Set<String> options) {
        return option.length() > 2 && options.contains(option.substring(0, 2));
    }
}
