package dev.pheromone.hooks;

import java.util.List;

/// Everything that a tool call would touch, as far as it can be told, and what can't be told.
record Touches(List<Touch> touches, List<Doubt> doubts) {
    Touches {
        touches = List.copyOf(touches);
        doubts = List.copyOf(doubts);
    }
}
