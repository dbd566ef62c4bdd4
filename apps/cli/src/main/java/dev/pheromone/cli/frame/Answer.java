package dev.pheromone.cli.frame;

import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

/// What a command has to say, in its three forms. The frame picks one: a command never asks which.
public interface Answer {

    /// The fields that follow `"ok":true` in the one object that `--json` prints.
    Json.Obj json();

    /// Shows it to people.
    void show(Screen screen);

    /// Shows only what a script would take from it, such as ids one a line: `--quiet`.
    default void showBriefly(Screen screen) {}

    /// Whether nothing of it is printed in any form, and `--json` leaves a failure where it is.
    default boolean isSilent() {
        return false;
    }

    /// What is wrong in spite of the answer, such as findings in what was checked; null if nothing
    /// is. It is reported after the answer, and decides the exit.
    default @Nullable CliException failure() {
        return null;
    }

    /// Whether what is shown says itself what [#failure] would.
    default boolean tellsFailure() {
        return false;
    }

    /// What to report if this could not be written, after undoing what can be undone; null if
    /// nothing is lost with it but the answer.
    default @Nullable CliException unwritten(Invocation call, OutputClosedException why) {
        return null;
    }
}
