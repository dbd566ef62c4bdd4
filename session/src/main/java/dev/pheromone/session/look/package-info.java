/// Looking at a hive without changing it.
///
/// Read `HiveState` first, the hive at one moment, and `NeedsYou`, what in it waits for the caller.
/// `LogReader` and `EventWalk` go through its log, `Search` through all it has, `Story` tells the
/// life of one envelope, `Promises` measures how a hive keeps its word, and `TransportCheckup` says
/// what is wrong with the other transports.
///
/// Knows callers, the open hive, the seats of agents, and of mail only what waits in outboxes.
@NullMarked
package dev.pheromone.session.look;

import org.jspecify.annotations.NullMarked;
