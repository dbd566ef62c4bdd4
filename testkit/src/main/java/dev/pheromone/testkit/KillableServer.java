package dev.pheromone.testkit;

import java.io.IOException;

/// A server of somebody else's in a process of its own, which a test kills and starts again.
public interface KillableServer extends AutoCloseable {

    /// Where it listens.
    int port();

    /// What the server has written about itself.
    String log() throws IOException;

    /// As `kill -9` does: it gets no chance to say or save anything.
    void kill();

    /// Starts it again, with what it had stored.
    void restart() throws IOException;

    @Override
    void close();
}
