@NullMarked
package dev.pheromone.mqtt;

import org.jspecify.annotations.NullMarked;
