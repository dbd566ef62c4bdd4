package dev.pheromone.hooks;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/// The shell's own commands: they change what the shell knows, or run a text.
final class Builtins {
    /// Commands that run others in the same shell.
    static final Set<String> RUNNING_MORE = Set.of("eval", "source", ".", "trap");

    /// Words of theirs may be names with subscripts.
    private static final Set<String> EVALUATING =
            Set.of(
                    "let",
                    "test",
                    "[",
                    "unset",
                    "declare",
                    "typeset",
                    "local",
                    "readonly",
                    "read",
                    "mapfile",
                    "readarray",
                    "getopts",
                    "wait");

    /// What scripts for a shell to read hardly ever change.
    private static final Set<String> KEPT_BY_SCRIPTS =
            Set.of("HOME", "USER", "LOGNAME", "PATH", "TMPDIR", "SHELL");

    /// `set -euo pipefail`: the words of the shell stay as they are.
    private static final Pattern SETTING_OPTIONS =
            Pattern.compile("set(?: [-+][a-np-zA-Z]+| [-+][a-zA-Z]*o [a-z]+)*");

    private Builtins() {}

    /// Whether the shell itself does what this name says.
    static boolean isOne(String name) {
        return EVALUATING.contains(name)
                || Set.of(
                                ("cd chdir pushd popd export set shift shopt setopt alias eval trap"
                                     + " source jobs hash exit return break continue enable bind"
                                     + " complete compgen compopt coproc fc")
                                        .split(" "))
                        .contains(name);
    }

    /// Follows a builtin; false if the program is none.
    static boolean run(Invocation call) throws ShellSyntaxException {
        ShellState state = call.state();
        List<Shape> arguments = call.arguments();
        if (EVALUATING.contains(call.program())) {
            noteEvaluated(call);
        }
        switch (call.program()) {
            case "cd", "chdir", "pushd" -> enter(call);
            case "popd" -> state.loseFolder();
            case "export", "declare", "typeset", "local", "readonly" -> declare(call);
            case "mapfile", "readarray" -> {
                forget(call);
                if (call.has("-C")) {
                    call.doubt("runs a command for its lines");
                    LastNet.noteAll(call);
                }
            }
            case "unset", "getopts" -> forget(call);
            case "read" -> forget(call);
            case "set", "shift" -> {
                if (!SETTING_OPTIONS.matcher(call.program() + " " + joined(arguments)).matches()) {
                    state.arguments = null;
                }
            }
            case "shopt", "setopt" -> {
                if (arguments.stream().anyMatch(Builtins::changesWildcards)) {
                    state.seeHidden();
                    call.doubt("changes what wildcards mean");
                }
            }
            case "alias" -> alias(call);
            case "eval" -> call.run().script(joined(arguments), state);
            case "trap" -> {
                if (!arguments.isEmpty()) {
                    ShellState after = state.copy();
                    call.run().script(arguments.getFirst(), after);
                    after.forget(ShellNames.LAST_WORD);
                    state.forget(ShellNames.LAST_WORD);
                    if (!after.isLike(state)) {
                        // From here on it may run between any two commands.
                        state.mergeWith(after);
                        state.maySkip();
                    }
                }
            }
            case "source", "." -> {
                if (!arguments.isEmpty()) {
                    Interpreters.readScript(call, arguments.getFirst());
                    state.keepNames(KEPT_BY_SCRIPTS);
                }
            }
            case "jobs" -> {
                if (call.has("-x")) {
                    call.call(call.from(1));
                }
            }
            case "hash" -> {
                if (call.has("-p")) {
                    call.doubt("gives programs other names");
                }
            }
            case "exit" -> state.ended = true;
            case "return", "break", "continue" -> state.maySkip();
            case "let" -> forget(call);
            case "printf" -> {
                if (call.has("-v")) {
                    noteEvaluated(call);
                    forget(call);
                }
            }
            case "enable", "bind", "complete", "compgen", "compopt", "coproc", "fc" ->
                    call.doubt("is rarely used, and not followed");
            case "test", "[" -> FileTests.read(call);
            default -> {
                return false;
            }
        }
        return true;
    }

    /// A name for a command is harmless if nothing else has it, and the command itself is.
    private static void alias(Invocation call) throws ShellSyntaxException {
        for (Shape argument : call.arguments()) {
            int sign = argument.indexOf('=', 0);
            if (argument.is("-p") || (sign < 0 && argument.isPlain())) {
                continue;
            }
            Shape name = argument.part(0, Math.max(0, sign));
            Shape value = argument.from(sign + 1);
            ShellState after = call.state().copy();
            call.run().script(value, after);
            after.forget(ShellNames.LAST_WORD);
            ShellState before = call.state().copy();
            before.forget(ShellNames.LAST_WORD);
            boolean taken =
                    Programs.isKnown(name.toString()) && !value.startsWith(name.toString() + " ");
            if (!name.isPlain() || taken || !after.isLike(before)) {
                call.doubt("gives commands other names");
            }
        }
    }

    /// Subscripts are calculated, and a calculation runs the commands in it: even quoted ones.
    static void noteEvaluated(Invocation call) throws ShellSyntaxException {
        for (Shape argument : call.arguments()) {
            if (LastNet.holdsCommands(argument)) {
                call.doubt("may run the commands in \"" + argument + "\"");
                LastNet.note(call, argument);
            }
        }
    }

    private static boolean changesWildcards(Shape option) {
        return option.hasGap()
                || List.of(
                                "dotglob",
                                "extglob",
                                "globdots",
                                "expand_aliases",
                                "lastpipe",
                                "cdable_vars")
                        .stream()
                        .anyMatch(option::is);
    }

    private static void enter(Invocation call) {
        List<Shape> operands = new ArrayList<>();
        for (Shape argument : call.arguments()) {
            if (!argument.startsWith("-") || argument.is("-")) {
                operands.add(argument);
            }
        }
        ShellState state = call.state();
        if (operands.isEmpty()) {
            state.enter(state.values("HOME").getFirst());
        } else if (operands.getFirst().is("-") || operands.getFirst().startsWith("+")) {
            state.loseFolder();
        } else {
            state.enter(operands.getFirst());
        }
    }

    private static void declare(Invocation call) throws ShellSyntaxException {
        boolean exports = call.program().equals("export") || call.has("-x");
        for (Shape argument : call.arguments()) {
            if (argument.startsWith("-")) {
                if (argument.toString().matches("-\\w*[nluc]\\w*")) {
                    call.doubt("makes a variable change its value, or stand for another");
                }
                continue;
            }
            int sign = argument.indexOf('=', 0);
            if (sign > 0 && argument.part(0, sign).isPlain()) {
                String name = argument.part(0, sign).toString();
                List<Shape> value = List.of(argument.from(sign + 1));
                call.state().set(name, value);
                if (exports) {
                    call.state().export(name);
                }
                Environment.note(name, value, call.run(), call.state());
            } else if (exports && argument.isPlain()) {
                call.state().export(argument.toString());
            } else if (argument.hasGap()) {
                call.doubt("sets a variable that is known only when it runs");
            }
        }
    }

    private static void forget(Invocation call) {
        for (Shape argument : call.arguments()) {
            String name = argument.toString();
            int end = WordReader.nameEnd(name, 0);
            if (end > 0) {
                call.state().forget(name.substring(0, end));
            }
        }
        call.state().forget("REPLY");
        call.state().forget("MAPFILE");
        call.state().forget("OPTARG");
    }

    static Shape joined(List<Shape> words) {
        Shape text = Shape.EMPTY;
        for (int i = 0; i < words.size(); i++) {
            text = i == 0 ? words.get(i) : text.plus(" ").plus(words.get(i));
        }
        return text;
    }
}
