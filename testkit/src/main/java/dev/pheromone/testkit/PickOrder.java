package dev.pheromone.testkit;

import dev.pheromone.Backpressure;
import dev.pheromone.Backpressure.Load;
import dev.pheromone.HiveConfig;
import dev.pheromone.HiveConfig.BackpressureLimits;
import dev.pheromone.selection.Urgency;
import dev.pheromone.selection.WaitingLine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// A way to choose what is taken next from what waits, for comparison in a simulation.
sealed interface PickOrder {

    void put(Urgency mail, Instant now);

    void remove(Urgency mail);

    /// What to take, of what is not expired.
    ///
    /// @param oldestAge how long the oldest has waited
    Optional<Urgency> pick(Instant now, int depth, Duration oldestAge);

    /// The real thing: decay, due turns, and the drain order while backpressure holds.
    final class Ours implements PickOrder {

        private final WaitingLine<Urgency> line = new WaitingLine<>();
        private final BackpressureLimits limits = HiveConfig.defaults().backpressure();
        private final int dueTurn = HiveConfig.defaults().dueTurn();
        private long picks;
        private boolean drains;

        @Override
        public void put(Urgency mail, Instant now) {
            line.put(mail, mail, now);
        }

        @Override
        public void remove(Urgency mail) {
            line.remove(mail);
        }

        @Override
        public Optional<Urgency> pick(Instant now, int depth, Duration oldestAge) {
            picks++;
            drains = drains(depth, oldestAge);
            Urgency.Turn turn = Urgency.Turn.of(picks, dueTurn);
            return line.pick(
                    now, drains && turn == Urgency.Turn.NORMAL ? Urgency.Turn.DRAIN : turn);
        }

        private boolean drains(int depth, Duration oldestAge) {
            Load load = new Load(depth, oldestAge);
            return drains
                    ? !Backpressure.isOver(load, limits)
                    : Backpressure.entered(load, limits).isPresent();
        }
    }

    /// Sorts everything anew for each pick.
    final class Sorted implements PickOrder {

        private final List<Urgency> waiting = new ArrayList<>();
        private final Function<Instant, Comparator<Urgency>> order;

        private Sorted(Function<Instant, Comparator<Urgency>> order) {
            this.order = order;
        }

        /// The class as it was sent, then age; time changes nothing.
        static Sorted byClass() {
            Comparator<Urgency> order =
                    Comparator.comparing(Urgency::priority).thenComparing(Urgency.oldestFirst());
            return new Sorted(_ -> order);
        }

        /// The heaviest first, by w(t) as the formula gives it.
        static Sorted byWeight() {
            return new Sorted(now ->
                    Comparator.<Urgency>comparingDouble(mail -> mail.weight(now))
                            .reversed()
                            .thenComparing(Urgency.oldestFirst()));
        }

        @Override
        public void put(Urgency mail, Instant now) {
            waiting.add(mail);
        }

        @Override
        public void remove(Urgency mail) {
            waiting.remove(mail);
        }

        @Override
        public Optional<Urgency> pick(Instant now, int depth, Duration oldestAge) {
            return waiting.stream().min(order.apply(now));
        }
    }
}
