package dev.pheromone.rse;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/// A walk through an event log, entry by entry, in the order of the log. Not safe for use by
/// several threads.
public interface RseReading extends Closeable {

    /// The next entry; empty at the end of what is there now. More may come: asking again is right.
    Optional<RseEntry> next() throws IOException;

    /// The next entry, waited for at most `wait`; empty if none came, or if the thread was
    /// interrupted (which its interrupt flag then still says).
    Optional<RseEntry> next(Duration wait) throws IOException;

    /// The place to go on from: no entry after the last one returned is missed. Entries of one line
    /// stay together, so some of that line may come again.
    Cursor cursor() throws IOException;

    /// How many bytes at the end of the log are held back because their line has not ended.
    long held();
}
