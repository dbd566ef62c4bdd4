/// One actor at one hive: all that a person or an agent can do there, without a terminal.
///
/// Read `Session` first, which has a method for each verb, then `Caller`, which is all that a door
/// (the command line, a server) tells about whoever asks. A verb answers with a sealed result; what
/// can't be done as it was asked is a `ProblemException`, which each door turns into its own kind
/// of error.
///
/// This package knows core, the hive on disk and redaction. It knows no arguments, no terminal and
/// no HTTP.
@NullMarked
package dev.pheromone.session;

import org.jspecify.annotations.NullMarked;
