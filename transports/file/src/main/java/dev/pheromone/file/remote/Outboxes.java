package dev.pheromone.file.remote;

import dev.pheromone.HiveConfig;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.file.copy.Copies;
import dev.pheromone.file.copy.FileLimits;

import java.time.InstantSource;

/// The outboxes of one hive, made from the parts that they share.
public final class Outboxes {

    private final Disk files;
    private final HiveLayout layout;
    private final HiveConfig config;
    private final FileLimits limits;
    private final Copies copies;
    private final InstantSource clock;

    public Outboxes(
            Disk files,
            HiveLayout layout,
            HiveConfig config,
            FileLimits limits,
            Copies copies,
            InstantSource clock) {
        this.files = files;
        this.layout = layout;
        this.config = config;
        this.limits = limits;
        this.copies = copies;
        this.clock = clock;
    }

    /// The outbox of mail for one transport.
    public Outbox of(String transport) {
        return new Outbox(files, layout, config, limits, copies, clock, transport);
    }

    /// What the event log is told of one transport.
    RemoteJournal journal(String transport) {
        return new RemoteJournal(copies, clock, transport);
    }
}
