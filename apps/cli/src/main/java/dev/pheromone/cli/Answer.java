package dev.pheromone.cli;

import dev.pheromone.Json;

/// What a command has to say, in its three forms. The frame picks one: a command never asks which.
interface Answer {

    /// The fields that follow `"ok":true` in the one object that `--json` prints.
    Json.Obj json();

    /// Shows it to people.
    void show(Screen screen);

    /// Shows only what a script would take from it, such as ids one a line: `--quiet`.
    default void showBriefly(Screen screen) {}

    /// How the command ended; anything but `DONE` makes `"ok":false`.
    default Exit exit() {
        return Exit.DONE;
    }
}
