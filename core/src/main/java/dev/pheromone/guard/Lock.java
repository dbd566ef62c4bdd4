package dev.pheromone.guard;

/// One lock in force.
///
/// @param path what it covers, as a pattern relative to the hive root
/// @param source as events name it: `rotg-2`, `policy_guard`, or the list that has it
/// @param declaredIn the file that a person would look at, relative to the hive root
public record Lock(LockKind kind, String path, String source, String declaredIn) {}
