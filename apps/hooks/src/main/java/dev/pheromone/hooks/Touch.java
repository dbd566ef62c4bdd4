package dev.pheromone.hooks;

import dev.pheromone.guard.Access;

import java.util.Set;

/// A place that a tool call would touch, and how. The path is absolute, as it was written
/// otherwise: `..` is still in it.
///
/// A guess is a place that some program could touch because it was named to it; what programs we
/// know do is no guess.
record Touch(Shape path, Extent extent, Set<Access> access, boolean guess) {
    Touch {
        access = Set.copyOf(access);
    }
}
