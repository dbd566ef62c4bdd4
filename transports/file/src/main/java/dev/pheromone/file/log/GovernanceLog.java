package dev.pheromone.file.log;

import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.guard.Permission;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseLog;
import dev.pheromone.rse.RseLog.Durability;

import java.io.Closeable;
import java.io.IOException;
import java.time.Instant;
import java.util.List;

/// The record of what people and guards decide: in the hive's event log, or in the embargo's while
/// that may not or can't be written. From there it comes home as soon as it may.
public final class GovernanceLog implements Closeable {

    private final RseLog log;
    private final RseLog mirrorLog;

    private GovernanceLog(RseLog log, RseLog mirrorLog) {
        this.log = log;
        this.mirrorLog = mirrorLog;
    }

    /// The log of the hive at `layout`, behind `guard`.
    public static GovernanceLog of(HiveLayout layout, PolicyGuard guard) {
        GuardedFiles files = new GuardedFiles(new LocalDisk(), guard);
        return new GovernanceLog(
                JsonlRseLog.of(files, layout), new JsonlRseLog(files, layout.mirrorLog()));
    }

    /// Writes `events`; they are on the disk when it returns. Fails if neither log takes them.
    public void append(List<? extends RseEvent> events) throws IOException {
        append(log, mirrorLog, events);
    }

    /// The event that tells that `leave` was used to write `content` to `path`.
    public static RseEvent overridden(
            Permission leave, String path, ContentHash content, String actor, Instant now) {
        return GuardReports.overridden(leave, path, content, actor, now);
    }

    /// Writes `events` to `log`, or else to `mirrorLog`.
    static void append(RseLog log, RseLog mirrorLog, List<? extends RseEvent> events)
            throws IOException {
        try {
            log.append(events, Durability.DISK);
        } catch (IOException e) {
            mirrorLog.append(events, Durability.DISK);
        }
    }

    @Override
    public void close() throws IOException {
        try (RseLog _ = log) {
            mirrorLog.close();
        }
    }
}
