package dev.pheromone.testkit;

import dev.pheromone.envelope.Priority;
import dev.pheromone.selection.Urgency;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// One worker and one inbox, played through without a clock and without files: what each class of
/// mail has to wait, and what is lost, under one way of choosing.
public final class Simulation {

    private final Traffic traffic;
    private final PickOrder order;
    private final List<Urgency> waiting = new ArrayList<>();
    private final List<Tally> tallies = new ArrayList<>();

    private Simulation(Traffic traffic, PickOrder order) {
        this.traffic = traffic;
        this.order = order;
        for (int i = 0; i < Priority.values().length; i++) {
            tallies.add(new Tally());
        }
    }

    /// What happened to the mail of one class.
    ///
    /// @param waits how long each that was taken had waited, the shortest first
    /// @param inversions how many were taken while an older one of the class was waiting
    public record Figures(int sent, List<Duration> waits, int expired, int inversions) {

        public Figures {
            waits = List.copyOf(waits);
        }

        public int taken() {
            return waits.size();
        }

        /// The wait that `percent` of those taken did not exceed; zero if none was.
        public Duration wait(int percent) {
            if (waits.isEmpty()) {
                return Duration.ZERO;
            }
            int rank = (waits.size() * percent + 99) / 100;
            return waits.get(Math.max(rank, 1) - 1);
        }

        /// Of what was sent, from 0 to 1.
        public double expiredShare() {
            return sent == 0 ? 0 : (double) expired / sent;
        }
    }

    /// What happened to all of it.
    ///
    /// @param classes the figures of P0 to P3
    public record Result(List<Figures> classes) {

        public Result {
            classes = List.copyOf(classes);
        }

        public Figures of(Priority priority) {
            return classes.get(priority.ordinal());
        }

        public int expired() {
            return classes.stream().mapToInt(Figures::expired).sum();
        }

        public int inversions() {
            return classes.stream().mapToInt(Figures::inversions).sum();
        }
    }

    /// Plays `traffic` to its end, until all of it is taken or expired.
    public static Result run(Traffic traffic, Discipline discipline) {
        Simulation simulation = new Simulation(traffic, discipline.order());
        simulation.run();
        return new Result(simulation.tallies.stream().map(Tally::figures).toList());
    }

    private void run() {
        int come = 0;
        Instant now = Traffic.START;
        while (come < traffic.mail().size() || !waiting.isEmpty()) {
            while (come < traffic.mail().size() && !traffic.mail().get(come).ts().isAfter(now)) {
                arrive(traffic.mail().get(come), now);
                come++;
            }
            expire(now);
            take(now);
            now = now.plus(traffic.service());
        }
    }

    private void arrive(Urgency mail, Instant now) {
        waiting.add(mail);
        order.put(mail, now);
        tally(mail).sent++;
    }

    private void expire(Instant now) {
        for (Urgency mail : List.copyOf(waiting)) {
            if (mail.isExpired(now)) {
                leave(mail);
                tally(mail).expired++;
            }
        }
    }

    private void take(Instant now) {
        if (waiting.isEmpty()) {
            return;
        }
        // What came first stands first.
        Duration oldestAge = Duration.between(waiting.getFirst().ts(), now);
        Optional<Urgency> picked = order.pick(now, waiting.size(), oldestAge);
        if (picked.isEmpty()) {
            throw new IllegalStateException(
                    "nothing was picked at " + now + " of " + waiting.size() + " that are ready");
        }
        Urgency mail = picked.get();
        Tally tally = tally(mail);
        tally.inversions += hasOlderOfItsClass(mail) ? 1 : 0;
        tally.waits.add(Duration.between(mail.ts(), now));
        leave(mail);
    }

    private boolean hasOlderOfItsClass(Urgency mail) {
        for (Urgency other : waiting) {
            if (other.priority() == mail.priority() && other.ts().isBefore(mail.ts())) {
                return true;
            }
        }
        return false;
    }

    private void leave(Urgency mail) {
        waiting.remove(mail);
        order.remove(mail);
    }

    private Tally tally(Urgency mail) {
        return tallies.get(mail.priority().ordinal());
    }

    /// Figures in the making.
    private static final class Tally {

        private final List<Duration> waits = new ArrayList<>();
        private int sent;
        private int expired;
        private int inversions;

        Figures figures() {
            return new Figures(sent, waits.stream().sorted().toList(), expired, inversions);
        }
    }
}
