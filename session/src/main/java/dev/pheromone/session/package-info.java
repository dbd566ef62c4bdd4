/// One actor at one hive: all that a person or an agent can do there, without a terminal.
///
/// Read `Session` first, which has a method for each verb, then `Caller`, which is all that a door
/// (the command line, a server) tells about whoever asks. A verb answers with a sealed result; what
/// can't be done as it was asked is a `ProblemException`, which each door turns into its own kind
/// of error.
///
/// A `GuardedTransport` is what mail goes and comes by: the hive's own inboxes, another transport,
/// or a broker. Nothing else asks which of these it is, and `NamedTransport` alone knows which
/// kinds hive.yaml can name.
///
/// This package knows core, the hive on disk, the other transports and redaction. It knows no
/// arguments, no terminal and no requests over HTTP.
@NullMarked
package dev.pheromone.session;

import org.jspecify.annotations.NullMarked;
