/// A hive on a NATS server with JetStream: for teams that outgrow one machine.
@NullMarked
package dev.pheromone.nats;

import org.jspecify.annotations.NullMarked;
