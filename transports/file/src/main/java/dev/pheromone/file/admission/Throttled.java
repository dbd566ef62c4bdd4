package dev.pheromone.file.admission;

import dev.pheromone.Backpressure;

import java.time.Instant;

/// An inbox that is under backpressure.
public record Throttled(Backpressure.Cause cause, Instant since) {}
