/// Tests of seats and their bell.
@NullMarked
package dev.pheromone.session.seat;

import org.jspecify.annotations.NullMarked;
