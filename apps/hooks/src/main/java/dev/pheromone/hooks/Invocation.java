package dev.pheromone.hooks;

import dev.pheromone.guard.Access;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// One program about to run: its name and arguments, and the shell around it. `text` is what a
/// here-document gives it to read.
record Invocation(
        ShellRun run,
        ShellState state,
        String program,
        List<Shape> arguments,
        @Nullable Shape text) {

    void touch(Shape word, Role role, Extent extent) throws ShellSyntaxException {
        touch(word, role.access(), extent);
    }

    void touch(Shape word, Set<Access> access, Extent extent) throws ShellSyntaxException {
        if (!word.is("-")) {
            run.log().touch(word, state.folders(), extent, access, false);
        }
    }

    /// A place that the program goes through, but for some folders.
    void touch(Shape word, Role role, Extent extent, LeftOut without) throws ShellSyntaxException {
        if (!word.is("-")) {
            run.log()
                    .touch(
                            word,
                            state.folders(),
                            new Touch(word, extent, role.access(), false, null, without));
        }
    }

    /// A place that the program could touch.
    void guess(Shape word, Set<Access> access, Extent extent) throws ShellSyntaxException {
        run.log().touch(word, state.folders(), extent, access, true);
    }

    void doubt(String reason) {
        run.log().doubt(program + ": " + reason);
    }

    void doubt(String reason, Set<Access> access) {
        run.log().doubt(program + ": " + reason, access);
    }

    /// As [#doubt], unless one of these words is the name of something that is there.
    void doubtUnless(List<Shape> words, String reason, Set<Access> access) {
        run.log().doubtUnless(words, state.folders(), program + ": " + reason, access);
    }

    /// The program runs another one, with these words; here or in a process of its own.
    void call(List<Shape> words) throws ShellSyntaxException {
        run.call(words, state.copy(), text);
    }

    /// The program gives a text to a shell.
    void script(Shape script, List<Shape> positional) throws ShellSyntaxException {
        ShellState inner = state.copy();
        inner.arguments = positional;
        inner.keepExported();
        inner.forget(ShellNames.LAST_WORD);
        run.script(script, inner);
    }

    /// The arguments as text, with unknown parts as null: for looking up options.
    @Nullable String plain(int index) {
        Shape argument = arguments.get(index);
        return argument.isPlain() ? argument.toString() : null;
    }

    Invocation withArguments(String name, List<Shape> others) {
        return new Invocation(run, state, name, List.copyOf(others), text);
    }

    /// Whether one of these options stands among the arguments, alone or in a cluster of letters.
    boolean has(String... options) {
        for (int i = 0; i < arguments.size(); i++) {
            String argument = plain(i);
            if (argument == null) {
                continue;
            }
            if (argument.equals("--")) {
                return false;
            }
            for (String option : options) {
                boolean cluster =
                        option.length() == 2
                                && argument.startsWith("-")
                                && !argument.startsWith("--")
                                && argument.indexOf(option.charAt(1)) > 0;
                if (argument.equals(option) || argument.startsWith(option + "=") || cluster) {
                    return true;
                }
            }
        }
        return false;
    }

    /// As [#has]; a long option also counts if it is cut short, as many programs let one write it.
    boolean hasShortened(String... options) {
        if (has(options)) {
            return true;
        }
        for (int i = 0; i < arguments.size(); i++) {
            String argument = plain(i);
            if (argument == null || argument.length() < 3 || !argument.startsWith("--")) {
                continue;
            }
            int sign = argument.indexOf('=');
            String name = sign < 0 ? argument : argument.substring(0, sign);
            for (String option : options) {
                if (name.length() > 2 && option.startsWith(name)) {
                    return true;
                }
            }
        }
        return false;
    }

    List<Shape> from(int start) {
        return new ArrayList<>(
                arguments.subList(Math.min(start, arguments.size()), arguments.size()));
    }
}
