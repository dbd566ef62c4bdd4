package dev.pheromone.file.log;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.GroupCommit;
import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.disk.LogFile;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseLine;
import dev.pheromone.rse.RseLog;
import dev.pheromone.rse.RseReading;
import dev.pheromone.rse.RseScope;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/// The event log as a file of JSON lines, which any number of processes append to at the same time.
///
/// Each event, or several at once, is one write in append mode, so that lines never mix. The file
/// is opened, and made if need be, by the first append. A log that is moved away or deleted while
/// it is open is begun anew: at once by an event that waits for the disk, within one group's time
/// by others.
public final class JsonlRseLog implements RseLog {

    /// More is written in parts: what was interrupted has to be found again.
    private static final int AT_ONCE_BYTES_MAX = 8 * 1024;

    private final Disk files;
    private final Path path;
    private final @Nullable Path index;
    private final LogFile file;
    private final GroupCommit commits;
    private final ReentrantLock writing = new ReentrantLock();
    private boolean closed;

    /// A log in the file `path`, without an index.
    public JsonlRseLog(Disk files, Path path) {
        this(files, path, null);
    }

    private JsonlRseLog(Disk files, Path path, @Nullable Path index) {
        this.files = files;
        this.path = path;
        this.index = index;
        this.file = new LogFile(files, path);
        this.commits = new GroupCommit(file::force);
    }

    /// The log of the hive at `layout`, behind `guard`.
    public static JsonlRseLog of(HiveLayout layout, PolicyGuard guard) {
        return of(new GuardedFiles(new LocalDisk(), guard), layout);
    }

    /// The log of the hive at `layout`.
    public static JsonlRseLog of(Disk files, HiveLayout layout) {
        return new JsonlRseLog(files, layout.log(), layout.logIndex());
    }

    @Override
    public void append(RseEvent event, Durability durability) throws IOException {
        append(RseLine.write(event), durability);
    }

    @Override
    public void append(List<? extends RseEvent> events, Durability durability) throws IOException {
        if (!events.isEmpty()) {
            ByteArrayOutputStream lines = new ByteArrayOutputStream();
            for (RseEvent event : events) {
                if (lines.size() > AT_ONCE_BYTES_MAX) {
                    append(
                            lines.toByteArray(),
                            durability == Durability.PROVEN
                                    ? Durability.PROVEN
                                    : Durability.GROUPED);
                    lines.reset();
                }
                lines.writeBytes(RseLine.write(event));
            }
            append(lines.toByteArray(), durability);
        }
    }

    private void append(byte[] lines, Durability durability) throws IOException {
        if (durability != Durability.GROUPED) {
            // Written and forced as one: a lock never comes between the two. And whoever sets a
            // lock
            // waits for nobody who has written and forces nothing.
            try (Disk.Operation _ = files.begin()) {
                appendNow(lines, durability);
            }
        } else {
            appendNow(lines, durability);
        }
    }

    private void appendNow(byte[] line, Durability durability) throws IOException {
        // An interrupt would close the channel in the middle of its work: it is put off until the
        // line is written.
        boolean interrupted = Thread.interrupted();
        try {
            long number = write(line, durability);
            for (int interrupts = 1; number < 0; interrupts++) {
                interrupted |= Thread.interrupted();
                if (interrupts > LogFile.INTERRUPTS_MAX) {
                    throw new IOException(
                            path + ": appending was interrupted " + interrupts + " times");
                }
                number = writeUnlessThere(line, durability);
            }
            switch (durability) {
                case DISK -> commits.await(number);
                case GROUPED -> commits.soon(number);
                case PROVEN -> {}
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public RseReading read(Cursor from) throws IOException {
        return read(from, RseScope.ALL);
    }

    @Override
    public RseReading read(Cursor from, RseScope scope) throws IOException {
        return new JsonlReading(files, path, index, from, scope);
    }

    @Override
    public RseReading readLast(Duration span, Instant before) throws IOException {
        return JsonlReading.ofLast(files, path, span, before);
    }

    @Override
    public void close() throws IOException {
        writing.lock();
        try {
            if (!closed) {
                closed = true;
                try (LogFile _ = file) {
                    commits.close();
                }
            }
        } finally {
            writing.unlock();
        }
    }

    /// Returns the number of the write, or -1 if an interrupt closed the file and left open whether
    /// the line is in it.
    private long write(byte[] line, Durability durability) throws IOException {
        writing.lock();
        try {
            if (closed) {
                throw new IOException(path + ": the log is closed");
            }
            // Only a timer's force looks for those who don't look for themselves.
            file.write(line, durability != Durability.GROUPED);
            return counted(durability);
        } catch (ClosedChannelException e) {
            return -1;
        } finally {
            writing.unlock();
        }
    }

    /// The number of a write that is to be forced, or 0.
    private long counted(Durability durability) {
        return durability == Durability.PROVEN ? 0 : commits.wrote();
    }

    private long writeUnlessThere(byte[] line, Durability durability) throws IOException {
        writing.lock();
        try {
            return file.hasLately(line) ? counted(durability) : write(line, durability);
        } catch (ClosedChannelException e) {
            // A second interrupt, which closed the reader.
            return -1;
        } finally {
            writing.unlock();
        }
    }
}
