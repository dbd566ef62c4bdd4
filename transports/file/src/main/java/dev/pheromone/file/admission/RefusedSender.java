package dev.pheromone.file.admission;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;

import java.time.Instant;

/// A sender that an inbox refuses for its own doing.
///
/// @param count how often since `since`, of which the event log was told
public record RefusedSender(Actor sender, Domain inbox, int count, Instant since, String reason) {}
