package dev.pheromone.hive;

import dev.pheromone.address.Lane;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseEvent.PheromoneDrop;
import dev.pheromone.selection.HalfLife;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Senses pheromones at one moment: takes the events of a log, and tells what is in the air.
///
/// A drop is worth w(t) = w0 · 2^(−t / half-life) until its ttl is over, with w0 = 8, 4, 2, 1 for
/// P0 to P3. Drops on one topic of one lane add up, but to no more than 4 · w0 of the most urgent,
/// so that repeating oneself can't drown the rest. Only sums are kept: a log of any length costs
/// what its live topics cost. Not safe for use by several threads.
public final class Pheromones {

    /// How far ahead of now a drop may be dated: clocks differ, but not by more. One dated ahead is
    /// as strong as a fresh one until its time has come.
    static final Duration AHEAD_MAX = Duration.ofHours(24);

    private static final int STRENGTH_MAX_FACTOR = 4;

    private static final Comparator<Pheromone> STRONGEST_FIRST =
            Comparator.comparingDouble(Pheromone::strength)
                    .reversed()
                    .thenComparing(Pheromone::newestAt, Comparator.reverseOrder())
                    .thenComparing(pheromone -> pheromone.lane().name())
                    .thenComparing(Pheromone::topic);

    /// What drops must share to add up.
    record Place(Lane lane, String topic) {}

    private final Instant now;
    private final HalfLife halfLife;
    private final Scent scent;
    private final Map<Place, Sum> sums = new HashMap<>();

    /// A sense of what `scent` names, as it is `now`.
    public Pheromones(Instant now, HalfLife halfLife, Scent scent) {
        this.now = now;
        this.halfLife = halfLife;
        this.scent = scent;
    }

    /// Takes in one event; whatever is no drop, or no longer alive, leaves nothing.
    public void take(RseEvent event) {
        if (!(event instanceof PheromoneDrop drop) || !scent.isOf(drop)) {
            return;
        }
        if (isAlive(drop, now)) {
            sums.computeIfAbsent(new Place(drop.lane(), drop.topic()), _ -> new Sum())
                    .add(drop, strength(drop), drop.end());
        }
    }

    /// Whether anything of a drop is left `now`.
    static boolean isAlive(PheromoneDrop drop, Instant now) {
        return now.isBefore(drop.end()) && !drop.ts().isAfter(now.plus(AHEAD_MAX));
    }

    /// What can be sensed, the strongest first.
    public List<Pheromone> sensed() {
        return sums.entrySet().stream()
                .map(entry -> entry.getValue().at(entry.getKey()))
                .sorted(STRONGEST_FIRST)
                .toList();
    }

    private double strength(PheromoneDrop drop) {
        double age = Math.max(0, seconds(Duration.between(drop.ts(), now)));
        return drop.priority().weight()
                * Math.pow(2, -age / seconds(halfLife.of(drop.life().duration())));
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }

    /// The live drops of one place.
    private static final class Sum {

        private double strength;
        private int weightMax;
        private int drops;
        private Instant newestAt = Instant.MIN;
        private Instant expiresAt = Instant.MIN;

        void add(PheromoneDrop drop, double dropStrength, Instant dropExpiresAt) {
            strength += dropStrength;
            weightMax = Math.max(weightMax, drop.priority().weight());
            drops++;
            newestAt = newestAt.isAfter(drop.ts()) ? newestAt : drop.ts();
            expiresAt = expiresAt.isAfter(dropExpiresAt) ? expiresAt : dropExpiresAt;
        }

        Pheromone at(Place place) {
            double max = STRENGTH_MAX_FACTOR * (double) weightMax;
            return new Pheromone(
                    place.lane(),
                    place.topic(),
                    Math.min(strength, max),
                    max,
                    drops,
                    newestAt,
                    expiresAt);
        }
    }
}
