/// Tests of what people type.
@NullMarked
package dev.pheromone.cli.args;

import org.jspecify.annotations.NullMarked;
