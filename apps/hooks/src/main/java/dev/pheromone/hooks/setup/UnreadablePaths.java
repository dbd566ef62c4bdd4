package dev.pheromone.hooks.setup;

import dev.pheromone.hooks.PathShapes;

import java.util.ArrayList;
import java.util.List;

/// Patterns of locks as agent programs understand patterns: without braces, and from the project's
/// folder on.
final class UnreadablePaths {
    private UnreadablePaths() {}

    static List<String> below(List<String> patterns) {
        List<String> paths = new ArrayList<>();
        for (String pattern : patterns) {
            for (String single : PathShapes.withoutBraces(pattern)) {
                String below = single.replaceAll("^(?:\\./|/)+|/+$", "");
                paths.add(below.isEmpty() || below.equals(".") ? "**" : below);
            }
        }
        return paths;
    }
}
