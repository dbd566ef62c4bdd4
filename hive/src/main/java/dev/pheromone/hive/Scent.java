package dev.pheromone.hive;

import dev.pheromone.address.Lane;
import dev.pheromone.rse.RseEvent.PheromoneDrop;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Objects;

/// Which drops somebody wants to sense: those of a lane, of a topic, with all of some tags.
public record Scent(@Nullable Lane lane, @Nullable String topic, List<String> tags) {

    /// Every drop.
    public static final Scent ANY = new Scent(null, null, List.of());

    public Scent {
        tags = List.copyOf(tags);
    }

    /// Whether a drop is one of them.
    public boolean isOf(PheromoneDrop drop) {
        return (lane == null || lane.equals(drop.lane()))
                && (topic == null || Objects.equals(topic, drop.topic()))
                && (tags.isEmpty() || drop.tags().containsAll(tags));
    }
}
