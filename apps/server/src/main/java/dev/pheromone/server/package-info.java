/// A hive over HTTP: mail, claims and the event stream, for whoever has the token.
@NullMarked
package dev.pheromone.server;

import org.jspecify.annotations.NullMarked;
