package dev.pheromone.rse;

/// What a reader of an event log meets: an event, or a line that is none.
///
/// `offset` is where its line begins and `end` where the next one does, in bytes. Events that share
/// a line share both.
public sealed interface RseEntry {

    /// Where its line begins in the log.
    long offset();

    /// Where the next one begins.
    long end();

    /// An event. If its line told no readable time, `timeKnown` is false and the event has the time
    /// of the event before it, or the epoch if there was none.
    record Read(long offset, long end, RseEvent event, boolean timeKnown) implements RseEntry {}

    /// A line, or a part of one, that is no event, with the reason and how it begins.
    record Bad(long offset, long end, String reason, String excerpt) implements RseEntry {}

    /// The log is not the one that was being read: it was cut short or replaced. What follows comes
    /// from its beginning, so some of it may have been seen before.
    record Restart(String reason) implements RseEntry {

        @Override
        public long offset() {
            return 0;
        }

        @Override
        public long end() {
            return 0;
        }
    }
}
