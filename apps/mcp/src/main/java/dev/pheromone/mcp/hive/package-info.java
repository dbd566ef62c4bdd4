/// A hive as tools: [HiveTools] answers calls of them, each with one call of a session; [ToolList]
/// knows what there is, `WhoAsks` in whose name. Only what agents may do is a tool.
@NullMarked
package dev.pheromone.mcp.hive;

import org.jspecify.annotations.NullMarked;
