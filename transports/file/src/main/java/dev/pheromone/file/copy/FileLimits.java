package dev.pheromone.file.copy;

import dev.pheromone.HiveConfig;
import dev.pheromone.life.LifeLimits;

import java.time.Duration;

/// The waits and counts of the file transport that are no user's business to set.
///
/// @param quietMin how long a foreign file must not have changed before it is judged unfinished for
///   good
/// @param pauseBase doubled with each failure, the first included, it gives the pause before the
///   next attempt
/// @param pauseMax the longest pause after a failure
/// @param settledMin how old a left-over must be before recovery takes it for one: its owner may
///   only be slow
/// @param scanInterval how often a running process lists an inbox, in case a notice of the kernel
///   was lost
/// @param awaitMax the longest sleep of a waiting reader: leases end and processes die without a
///   notice
/// @param choresMax how many bad or expired files one selection clears away, so that a heap of them
///   delays no mail
/// @param selectTriesMax how many files one selection looks at closely before it gives up for now
public record FileLimits(
        Duration quietMin,
        Duration pauseBase,
        Duration pauseMax,
        Duration settledMin,
        Duration scanInterval,
        Duration awaitMax,
        int choresMax,
        int selectTriesMax) {

    public static FileLimits defaults() {
        return new FileLimits(
                Duration.ofSeconds(5),
                Duration.ofSeconds(5),
                Duration.ofMinutes(10),
                Duration.ofSeconds(60),
                Duration.ofSeconds(30),
                Duration.ofSeconds(2),
                16,
                1_000);
    }

    /// The limits of a copy's life in a hive with this `config`.
    public LifeLimits life(HiveConfig config) {
        return new LifeLimits(
                pauseBase, pauseMax, config.attempts(), LifeLimits.of(config).aheadMax());
    }
}
