/// Tests of the session.
@NullMarked
package dev.pheromone.session.look;

import org.jspecify.annotations.NullMarked;
