package dev.pheromone.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// A disk for simulations of hours in seconds: files got their names when the simulated clock says
/// so, and nothing is forced to a platter.
public final class SimulatedDisk extends PassingDisk {

    private final InstantSource clock;
    private final Map<Path, Instant> named = new ConcurrentHashMap<>();

    public SimulatedDisk(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public Optional<Stat> stat(Path path) throws IOException {
        return super.stat(path).map(stat -> aged(path, stat));
    }

    private Stat aged(Path path, Stat stat) {
        Instant changed = named.getOrDefault(path, stat.changed());
        return new Stat(
                stat.kind(), stat.size(), stat.inode(), stat.links(), stat.modified(), changed);
    }

    @Override
    public void create(Path file, byte[] content) throws IOException {
        Files.write(file, content, StandardOpenOption.CREATE_NEW);
    }

    @Override
    public Handle openDraft(Path file, byte[] content) throws IOException {
        create(file, content);
        return new Handle() {
            @Override
            public void force() {}

            @Override
            public void close() {}
        };
    }

    @Override
    public Handle open(Path file) throws IOException {
        Handle handle = super.open(file);
        return new Handle() {
            @Override
            public void force() {}

            @Override
            public void close() throws IOException {
                handle.close();
            }
        };
    }

    @Override
    public void force(Path file) {}

    @Override
    public void link(Path existing, Path name) throws IOException {
        super.link(existing, name);
        named.put(name, clock.instant());
    }

    @Override
    public void sync(Path folder) {}

    @Override
    public Appender openAppend(Path file) throws IOException {
        Appender appender = super.openAppend(file);
        return new Appender() {
            @Override
            public void write(ByteBuffer wholeLines) throws IOException {
                appender.write(wholeLines);
            }

            @Override
            public void force() {}

            @Override
            public long size() throws IOException {
                return appender.size();
            }

            @Override
            public void close() throws IOException {
                appender.close();
            }
        };
    }
}
