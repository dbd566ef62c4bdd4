/// What every way for mail promises, and what it returns: [dev.pheromone.Carrier] sends and brings
/// mail to a receiver, [dev.pheromone.Transport] is a carrier that stores, with an
/// [dev.pheromone.Inbox] for each address; the settings of a hive ([dev.pheromone.HiveConfig]), and
/// what an inbox lets in.
///
/// Knows the rooms below it and no file, thread or clock: time is an argument everywhere.
@NullMarked
package dev.pheromone;

import org.jspecify.annotations.NullMarked;
