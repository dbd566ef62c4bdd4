package dev.pheromone.hooks;

import dev.pheromone.guard.Access;

import java.util.Set;

/// Something in a tool call that could touch anything, in these ways, because of `reason`.
record Doubt(String reason, Set<Access> access) {
    static final Set<Access> ANYTHING = Set.of(Access.READ, Access.WRITE, Access.ERASE);

    Doubt {
        access = Set.copyOf(access);
    }

    static Doubt about(String reason) {
        return new Doubt(reason, ANYTHING);
    }
}
