package dev.pheromone.server;

import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.hive.ServiceLevels;

import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/// What whoever keeps a hive can count in it, beyond what waits. Not every transport can: there is
/// one that counts nothing.
public interface HiveFigures {

    /// One inbox in numbers.
    ///
    /// @param active copies that somebody works on
    /// @param ended copies whose life is over, by how it ended
    /// @param isTooFull whether it is under backpressure
    record Counts(long active, Map<State, Long> ended, boolean isTooFull) {
        public Counts {
            ended = Map.copyOf(ended);
        }
    }

    Optional<Counts> of(Domain inbox) throws IOException;

    /// What only the files can tell about the promises, from `since` on.
    ServiceLevels.Evidence evidence(Instant since) throws IOException;

    /// Is told what a lock kept from a client, so that it is told in turn. Where mail itself meets
    /// a lock, its transport tells.
    default void withheld(WithheldException e) {}

    static HiveFigures none() {
        return new HiveFigures() {
            @Override
            public Optional<Counts> of(Domain inbox) {
                return Optional.empty();
            }

            @Override
            public ServiceLevels.Evidence evidence(Instant since) {
                return ServiceLevels.Evidence.NONE;
            }
        };
    }
}
