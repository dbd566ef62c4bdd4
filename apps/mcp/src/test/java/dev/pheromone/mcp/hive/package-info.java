/// Tests of the tools, on real hives.
@NullMarked
package dev.pheromone.mcp.hive;

import org.jspecify.annotations.NullMarked;
