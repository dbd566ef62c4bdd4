/// Tests of the protocol, on streams of this process.
@NullMarked
package dev.pheromone.mcp;

import org.jspecify.annotations.NullMarked;
