/// The `rsm` command: one class a verb.
@NullMarked
package dev.pheromone.cli;

import org.jspecify.annotations.NullMarked;
