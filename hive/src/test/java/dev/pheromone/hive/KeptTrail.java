package dev.pheromone.hive;

import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.hive.Bridge.Route;

import java.util.HashSet;
import java.util.Set;

/// A bridge's trail that lives as long as the test, as the one on disk does.
final class KeptTrail implements Bridge.Trail {

    final Set<String> begun = new HashSet<>();

    /// How often something was noted.
    int notes;

    @Override
    public boolean isBegun(Route route, EnvelopeId id) {
        return begun.contains(name(route, id));
    }

    @Override
    public boolean begin(Route route, EnvelopeId id) {
        notes++;
        return !begun.add(name(route, id));
    }

    @Override
    public void end(Route route, EnvelopeId id) {
        begun.remove(name(route, id));
    }

    private static String name(Route route, EnvelopeId id) {
        return route.from().name() + route.to().name() + id;
    }
}
