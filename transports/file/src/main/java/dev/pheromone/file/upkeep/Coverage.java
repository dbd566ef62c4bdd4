package dev.pheromone.file.upkeep;

/// How much of what the files prove is in the event log too.
///
/// @param facts steps of envelopes that the files prove
/// @param told how many of them have their event
public record Coverage(long facts, long told) {}
