/// The events that a hive leaves behind, and the log that keeps them.
@NullMarked
package dev.pheromone.rse;

import org.jspecify.annotations.NullMarked;
