package dev.pheromone;

import java.time.Duration;

/// How long a claim lasts without a sign of life.
///
/// An attended claim also ends at once with the process that made it: for workers that stay. A
/// command that claims and exits, for an agent that thinks for minutes, takes an unattended one,
/// which lives by time alone.
public record Lease(Duration duration, Kind kind) {

    /// Whether a claim ends with the process that made it.
    public enum Kind {
        /// It does, and at the end of its time.
        ATTENDED,
        /// At the end of its time alone.
        UNATTENDED
    }

    /// A lease that ends with its process.
    public static Lease attended(Duration duration) {
        return new Lease(duration, Kind.ATTENDED);
    }

    /// A lease that lives by time alone.
    public static Lease unattended(Duration duration) {
        return new Lease(duration, Kind.UNATTENDED);
    }

    public Lease {
        if (duration.toSeconds() < 1) {
            throw new IllegalArgumentException(
                    "lease: found " + duration + ", expected at least one second");
        }
    }
}
