package dev.pheromone.file.copy;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.Stat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;

/// How many envelopes were taken from an inbox, by any process: the size of a file that each pick
/// makes one byte longer.
///
/// An append needs no lock, and losing the file only shifts the next due turn.
public final class PickCounter {

    private final Disk files;
    private final Path file;

    public PickCounter(Disk files, Path file) {
        this.files = files;
        this.file = file;
    }

    /// The number of the pick that comes now, from 1.
    public long next() throws IOException {
        return 1 + files.stat(file).filter(Stat::isFile).map(Stat::size).orElse(0L);
    }

    public void advance() throws IOException {
        Path folder = Objects.requireNonNull(file.getParent(), "the counter's folder");
        try (Disk.Appender appender = files.in(folder, () -> files.openAppend(file))) {
            appender.write(ByteBuffer.wrap(new byte[] {'.'}));
        }
    }
}
