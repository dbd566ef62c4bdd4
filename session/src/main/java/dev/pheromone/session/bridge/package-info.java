/// Mail between two places, for a process that stays.
///
/// Read `BridgeSides` first, the two ends; a `BridgePlan` says which inbox is at home where.
/// `Receiving` stores what a broker brings, and `Brokers` does that, and publishes events, for all
/// brokers of hive.yaml.
///
/// Knows callers and the open hive; the steps of a bridge are in `dev.pheromone.hive`.
@NullMarked
package dev.pheromone.session.bridge;

import org.jspecify.annotations.NullMarked;
