package dev.pheromone.hive;

import dev.pheromone.address.Lane;

import java.time.Duration;
import java.time.Instant;

/// What can be sensed of one topic in one lane at one moment.
///
/// @param strength the sum of what its drops are still worth, and at most `strengthMax`
/// @param strengthMax four times what the most urgent of them was worth when fresh
/// @param drops how many of them are still alive
/// @param newestAt when the last of them was dropped
/// @param expiresAt when the last of them will be gone
public record Pheromone(
        Lane lane,
        String topic,
        double strength,
        double strengthMax,
        int drops,
        Instant newestAt,
        Instant expiresAt) {

    /// How long it can still be sensed, if nobody drops more.
    public Duration expiresIn(Instant now) {
        return Duration.between(now, expiresAt);
    }
}
