/// Commands that stay: serve, bridge, up. Read `UpCommand` first. Knows the server and the session,
/// which receives from brokers and knows the two sides of a bridge.
@NullMarked
package dev.pheromone.cli.serve;

import org.jspecify.annotations.NullMarked;
