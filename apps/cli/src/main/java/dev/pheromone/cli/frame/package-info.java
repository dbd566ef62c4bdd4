/// What every verb stands on. Read `Command` and `Invocation` first: a command is made from the
/// words that were typed, runs once, and returns an `Answer`, which `Screen` shows and `--json`
/// prints. `TypedHive` and `TypedFiles` turn words into a hive and into files, behind the locks.
/// Knows the session, and no verb.
@NullMarked
package dev.pheromone.cli.frame;

import org.jspecify.annotations.NullMarked;
