/// The protocol's values, codecs and pure rules: no files, no threads, no clock.
@NullMarked
package dev.pheromone;

import org.jspecify.annotations.NullMarked;
