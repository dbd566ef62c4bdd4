package dev.pheromone.mcp.hive;

import dev.pheromone.session.caller.Caller;

import java.nio.file.Path;

/// Where a tool is called.
///
/// @param caller in whose name
/// @param folder from which paths are meant that begin nowhere else
/// @param isNear whether the caller is at this machine, and may know of all its files
record Setting(Caller caller, Path folder, boolean isNear) {}
