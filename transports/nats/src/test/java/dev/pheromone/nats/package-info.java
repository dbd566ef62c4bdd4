@NullMarked
package dev.pheromone.nats;

import org.jspecify.annotations.NullMarked;
