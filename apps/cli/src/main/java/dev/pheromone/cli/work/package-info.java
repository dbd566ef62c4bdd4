/// `rsm work`: a command of the user's runs for each mail. Read `WorkCommand` first; a
/// `CommandWorker` gives the mail to a `CommandProcess` and ends it with its whole `ProcessTree`.
/// Knows the frame and how mail is answered.
@NullMarked
package dev.pheromone.cli.work;

import org.jspecify.annotations.NullMarked;
