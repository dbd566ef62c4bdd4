/// Tests of the session.
@NullMarked
package dev.pheromone.session;

import org.jspecify.annotations.NullMarked;
