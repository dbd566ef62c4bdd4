package dev.pheromone.guard;

/// One lock in force: its kind, what it covers, and where it was declared, relative to the hive
/// root.
public record Lock(LockKind kind, String path, String source) {}
