/// Tests of the session.
@NullMarked
package dev.pheromone.session.hive;

import org.jspecify.annotations.NullMarked;
