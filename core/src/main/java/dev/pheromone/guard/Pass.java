package dev.pheromone.guard;

import java.nio.file.Path;

/// A short piece of work past the guard: until it is closed its verdicts stay as they were when it
/// began, and nobody who sets a lock hears that it is in force.
///
/// Never sleep, and never wait for a person or a network, with a pass open.
public interface Pass extends AutoCloseable {

    /// The verdict on `path`. Never throws: what can't be found out is `Blocked`.
    Verdict check(Path path, Access access);

    @Override
    void close();
}
