package dev.pheromone.cli.frame;

import dev.pheromone.text.Json;

/// The end of an answer that was printed while it came: nothing more is to be said.
public record Streamed() implements Answer {

    @Override
    public Json.Obj json() {
        return Json.obj();
    }

    @Override
    public void show(Screen screen) {}
}
