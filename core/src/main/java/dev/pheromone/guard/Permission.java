package dev.pheromone.guard;

/// A person's leave to write one content to one file in spite of a lock.
///
/// @param lock what would forbid it
/// @param override the file that says so, relative to the hive root
/// @param requestor who asked for it, as that file says
/// @param by who gave it, as that file says
/// @param proof `key` and its id if that person's key signed it, else `unproven`
public record Permission(Lock lock, String override, String requestor, String by, String proof) {}
