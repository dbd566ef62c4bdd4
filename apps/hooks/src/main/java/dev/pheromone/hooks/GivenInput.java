package dev.pheromone.hooks;

import dev.pheromone.guard.Access;

import org.jspecify.annotations.Nullable;

import java.util.Set;

/// What redirections give a command, or several of them in brackets, to read.
///
/// @param text a here-text, if there is one
/// @param file whether it comes from a file, and not through the pipe before the command
/// @param pipe whether it comes from something that is open already, or from another command
record GivenInput(@Nullable Shape text, boolean file, boolean pipe) {
    static final GivenInput NONE = new GivenInput(null, false, false);

    /// Whether the path is that of an open file: what is in there, only the shell knows.
    static boolean isOpenFile(Shape path) {
        return path.isPlain()
                && path.toString()
                        .matches("/dev/(?:fd/\\d+|stdin)|/proc/(?:self|thread-self)/fd/\\d+");
    }

    GivenInput withText(Shape more) {
        return new GivenInput(text == null ? more : text.plus("\n").plus(more), file, pipe);
    }

    /// From a file, if it is read, with what the command has written to it before.
    GivenInput from(Shape path, Set<Access> access, TouchLog log) {
        if (!access.contains(Access.READ)) {
            return this;
        }
        Shape written = log.written(path);
        boolean known = !written.isEmpty() && !log.isUnclear(path);
        return new GivenInput(
                known ? withText(written).text() : text, true, pipe || log.isUnclear(path));
    }

    GivenInput throughPipe() {
        return new GivenInput(text, file, true);
    }

    /// Follows `step` with this as the input, and then has the old one again.
    void during(ShellState state, ShellRun.Step step) throws ShellSyntaxException {
        ShellState before = state.copy();
        applyTo(state);
        step.run();
        state.text = before.text;
        state.input = before.input;
        state.piped = before.piped;
    }

    /// Makes this the input from here on.
    void applyTo(ShellState state) {
        if (text != null) {
            state.text = text;
        }
        if (text != null || file || pipe) {
            state.input = null;
        }
        if (pipe) {
            state.piped = true;
        }
        if (text == null && (file || pipe)) {
            state.text = null;
        }
    }
}
