/// Tests of what people see.
@NullMarked
package dev.pheromone.cli.terminal;

import org.jspecify.annotations.NullMarked;
