package dev.pheromone.hooks;

import dev.pheromone.guard.Access;

import java.util.List;
import java.util.Set;

/// Something in a tool call that could touch anything, in these ways, because of `reason`.
///
/// @param settledBy paths of which one is enough to settle it, if there is a file of that name
record Doubt(String reason, Set<Access> access, List<Shape> settledBy) {
    static final Set<Access> ANYTHING = Set.of(Access.READ, Access.WRITE, Access.ERASE);

    Doubt {
        access = Set.copyOf(access);
        settledBy = List.copyOf(settledBy);
    }

    Doubt(String reason, Set<Access> access) {
        this(reason, access, List.of());
    }

    static Doubt about(String reason) {
        return new Doubt(reason, ANYTHING);
    }
}
