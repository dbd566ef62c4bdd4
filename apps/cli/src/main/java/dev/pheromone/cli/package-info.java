/// The `rsm` command: one class a verb, and the frame that finds, runs and reports them.
@NullMarked
package dev.pheromone.cli;

import org.jspecify.annotations.NullMarked;
