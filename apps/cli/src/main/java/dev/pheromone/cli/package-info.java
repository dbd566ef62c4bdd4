/// The `rsm` command. Read `Rsm` first: it takes a line apart, and runs the one command that
/// `Verbs` has by that name; each room below this package has the verbs of one kind. Knows all of
/// them.
@NullMarked
package dev.pheromone.cli;

import org.jspecify.annotations.NullMarked;
