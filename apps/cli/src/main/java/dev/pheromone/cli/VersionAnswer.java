package dev.pheromone.cli;

import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.text.Json;

/// The answer to `rsm --version`.
record VersionAnswer() implements Answer {

    /// The version in the jar's manifest; classes that run from a folder have none.
    private static String version() {
        String version = VersionAnswer.class.getPackage().getImplementationVersion();
        return version == null ? "unreleased" : version;
    }

    @Override
    public Json.Obj json() {
        return Json.obj().put("version", version());
    }

    @Override
    public void show(Screen screen) {
        screen.line("rsm " + version());
    }

    @Override
    public void showBriefly(Screen screen) {
        screen.line(version());
    }
}
