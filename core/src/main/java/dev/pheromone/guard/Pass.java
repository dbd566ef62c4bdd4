package dev.pheromone.guard;

import dev.pheromone.envelope.ContentHash;

import java.nio.file.Path;
import java.util.Optional;

/// A short piece of work past the guard: until it is closed its verdicts stay as they were when it
/// began, and nobody who sets a lock hears that it is in force.
///
/// Never sleep, and never wait for a person or a network, with a pass open.
public interface Pass extends AutoCloseable {

    /// The verdict on `path`. Never throws: what can't be found out is `Blocked`.
    Verdict check(Path path, Access access);

    /// Whether nothing at all is forbidden, so that nobody has to ask about each of many files.
    default boolean isFree() {
        return false;
    }

    /// The leave by which `content` may be written to `path` although a lock forbids it; empty if
    /// nobody gave one, or nobody has to.
    default Optional<Permission> permission(Path path, ContentHash content) {
        return Optional.empty();
    }

    @Override
    void close();
}
