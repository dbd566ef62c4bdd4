/// Whoever asks: all that a door (the command line, a server) tells of them, and how they are
/// answered in words.
///
/// Read `Caller` first. `Identity` says in whose name, `UserFolder` and `OwnKeys` have what is the
/// user's own, and a `ProblemException` is what can't be done as it was asked, with the way out.
///
/// Knows core and locks; no hive, no transport, no other room.
@NullMarked
package dev.pheromone.session.caller;

import org.jspecify.annotations.NullMarked;
