package dev.pheromone.cli;

import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.Program;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.text.Json;

/// The answer to `rsm --version`.
record VersionAnswer() implements Answer {

    @Override
    public Json.Obj json() {
        return Json.obj().put("version", Program.version());
    }

    @Override
    public void show(Screen screen) {
        screen.line("rsm " + Program.version());
    }

    @Override
    public void showBriefly(Screen screen) {
        screen.line(Program.version());
    }
}
