/// One actor at one hive: all that a person or an agent can do there, without a terminal.
///
/// Read `Session` first, which has a method for each verb. A verb answers with a sealed result;
/// what can't be done as it was asked is a `ProblemException`, which each door turns into its own
/// kind of error. A `ServedSession` is the hive for clients whom only their requests name:
/// `Passage` says which mail they may see. `HiveLocks` sets and lifts locks, whether or not the
/// hive can be opened.
///
/// This package lies on all of its rooms. It knows no arguments, no terminal and no requests over
/// HTTP, and neither does a room.
@NullMarked
package dev.pheromone.session;

import org.jspecify.annotations.NullMarked;
