/// What locks are, and the question that is asked before a hive file is touched.
@NullMarked
package dev.pheromone.guard;

import org.jspecify.annotations.NullMarked;
