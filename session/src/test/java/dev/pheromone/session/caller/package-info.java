/// Tests of the session.
@NullMarked
package dev.pheromone.session.caller;

import org.jspecify.annotations.NullMarked;
