/// The HTTP transport: a client of a hive that another process serves, and the JSON of both sides.
@NullMarked
package dev.pheromone.http;

import org.jspecify.annotations.NullMarked;
