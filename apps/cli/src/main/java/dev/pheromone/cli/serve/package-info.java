/// Commands that stay: serve, bridge, up. Read `UpCommand` first; `BridgeSides` are the two ends
/// that a bridge carries mail between, and `Receiving` stores what a broker brings.
@NullMarked
package dev.pheromone.cli.serve;

import org.jspecify.annotations.NullMarked;
