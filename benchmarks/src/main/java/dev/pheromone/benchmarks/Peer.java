package dev.pheromone.benchmarks;

import java.util.List;

/// Another queue that keeps messages on the disk.
interface Peer extends AutoCloseable {

    /// Hands over each message by itself, waiting until it is kept; returns the nanoseconds that
    /// one took.
    double send(List<byte[]> messages) throws Exception;

    /// Hands over each message, takes one back and says that it is done; returns the nanoseconds
    /// that one such trip took.
    double trip(List<byte[]> messages) throws Exception;

    @Override
    void close();
}
