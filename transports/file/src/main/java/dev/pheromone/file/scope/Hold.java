package dev.pheromone.file.scope;

import dev.pheromone.address.Actor;

import java.time.Instant;
import java.util.List;

/// Why some paths are somebody's for a while.
public sealed interface Hold {

    Actor holder();

    /// The patterns that are held.
    List<String> paths();

    Instant endsAt();

    /// The file that says so, relative to the hive root.
    String location();

    /// The holder said so.
    record Reserved(Reservation reservation, String location) implements Hold {

        @Override
        public Actor holder() {
            return reservation.holder();
        }

        @Override
        public List<String> paths() {
            return reservation.paths();
        }

        @Override
        public Instant endsAt() {
            return reservation.endsAt();
        }
    }

    /// The holder has claimed mail that is about them.
    ///
    /// @param topic of that mail
    record Claimed(Actor holder, String scope, String topic, String location, Instant endsAt)
            implements Hold {

        @Override
        public List<String> paths() {
            return List.of(scope);
        }
    }
}
