package dev.pheromone.rse;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// The event log of a hive: it is appended to and read. No method could change what it says.
///
/// Safe for use by several threads; other processes append to the same log at the same time.
public interface RseLog extends Closeable {

    /// When an appended event is on the disk. In the log, for readers to see, it is at once; it
    /// survives the end of this process either way.
    enum Durability {
        /// Before `append` returns: it survives a power cut.
        DISK,
        /// Soon, together with others: at the latest when the log is closed.
        GROUPED,
        /// When the system pleases. Only for what files prove that are on the disk themselves:
        /// after a power cut the event is added again.
        PROVEN
    }

    /// Appends one event.
    void append(RseEvent event, Durability durability) throws IOException;

    /// Appends events in their order. Other writers' events may come between them.
    void append(List<? extends RseEvent> events, Durability durability) throws IOException;

    /// Begins to read at `from`. If the log is not the one that the cursor was made for, the first
    /// entry is an `RseEntry.Restart`, and reading begins at the beginning.
    RseReading read(Cursor from) throws IOException;

    /// As [#read(Cursor)]; what `scope` does not cover may be left out, where that saves reading
    /// it.
    default RseReading read(Cursor from, RseScope scope) throws IOException {
        return read(from);
    }

    /// Begins to read at a line near the end: what was written in the last `span` before the last
    /// line older than `before` follows, as far as that is some megabytes, and what came after;
    /// maybe more.
    default RseReading readLast(Duration span, Instant before) throws IOException {
        return read(Cursor.START);
    }
}
