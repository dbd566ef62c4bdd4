/// What a hive keeps of its dealings with other transports:
/// [dev.pheromone.file.remote.RemoteRecords] is the class to read first, and the way to all others.
/// An [dev.pheromone.file.remote.Outbox] keeps mail until the other side has confirmed it,
/// [dev.pheromone.file.remote.HeldClaims] remembers claims of mail there, and
/// [dev.pheromone.file.remote.BridgeTrail] what a bridge was carrying.
///
/// Knows copies and the embargo; no inbox of this hive, and no transport by name or kind.
@NullMarked
package dev.pheromone.file.remote;

import org.jspecify.annotations.NullMarked;
