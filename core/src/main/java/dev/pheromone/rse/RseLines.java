package dev.pheromone.rse;

import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Splits the bytes of an event log into entries, chunk by chunk.
///
/// What follows the last line end is held back until its own line end comes: its writer may not
/// have finished. Not safe for use by several threads.
public final class RseLines {

    /// How much of a line that is too long is kept, to show how it begins.
    private static final int SKIPPED_BYTES_KEPT = 80;

    /// Says of a line whether it is worth being read.
    public interface Test {

        /// Whether the line in `bytes` from `from` to `to`, without its line end, is to be read.
        boolean mayHold(byte[] bytes, int from, int to);
    }

    private static final Test ALL = (_, _, _) -> true;

    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private long lineStart;
    private long position;
    private boolean tooLong;
    private int restTried;
    private Instant previous;

    /// A splitter of the bytes that begin at `offset` of a log, which must be the beginning of a
    /// line.
    public RseLines(long offset) {
        this(offset, Instant.EPOCH);
    }

    /// As [#RseLines(long)].
    ///
    /// @param previous the time of the event before `offset`
    public RseLines(long offset, Instant previous) {
        this.lineStart = offset;
        this.position = offset;
        this.previous = previous;
    }

    /// Takes the next `length` bytes, and returns what the lines that end in them hold.
    public List<RseEntry> feed(byte[] bytes, int length) {
        return feed(bytes, length, ALL, false);
    }

    /// As [#feed(byte[], int)], with nothing of the lines that `test` says no of: for lines that
    /// are known to be events with a time. The lines that lie whole in `bytes` are tested together
    /// first: where a test says no of all of them, their line ends don't matter.
    public List<RseEntry> feed(byte[] bytes, int length, Test test) {
        return feed(bytes, length, test, true);
    }

    private List<RseEntry> feed(byte[] bytes, int length, Test test, boolean together) {
        var entries = new ArrayList<RseEntry>();
        int from = 0;
        boolean isTestedTogether = !together;
        for (int at = 0; at < length; at++) {
            if (bytes[at] == '\n') {
                if (line.size() == 0 && !tooLong && at - from <= RseLine.READ_BYTES_MAX) {
                    // The whole line is here: no copy of it is needed.
                    position += at - from + 1;
                    finishLine(bytes, from, at, test, entries);
                } else {
                    hold(bytes, from, at);
                    position++;
                    finishHeld(test, entries);
                }
                from = at + 1;
                if (!isTestedTogether) {
                    isTestedTogether = true;
                    int end = endOfLines(bytes, from, length);
                    if (!test.mayHold(bytes, from, end)) {
                        position += end - from;
                        startLine(List.of());
                        from = end;
                        at = end - 1;
                    }
                }
            }
        }
        hold(bytes, from, length);
        return entries;
    }

    /// The place behind the last line end between `from` and `length`; `from` if there is none.
    private static int endOfLines(byte[] bytes, int from, int length) {
        int end = length;
        while (end > from && bytes[end - 1] != '\n') {
            end--;
        }
        return end;
    }

    /// Takes what the last line holds though its line end is missing, if it is whole: an event that
    /// has ended can't become another. Nothing, and it stays held back, if it can't be read yet.
    public List<RseEntry> rest() {
        if (tooLong || line.size() == restTried) {
            return List.of();
        }
        restTried = line.size();
        byte[] bytes = line.toByteArray();
        List<RseEntry> found = RseLine.read(bytes, 0, bytes.length, lineStart, position, previous);
        boolean blank = found.isEmpty();
        if (!blank && !(found.getFirst() instanceof RseEntry.Read)) {
            return List.of();
        }
        startLine(found);
        return found;
    }

    /// Where the first line begins that has not ended yet; everything before it was returned.
    public long offset() {
        return lineStart;
    }

    /// How many bytes are held back because their line has not ended.
    public long held() {
        return position - lineStart;
    }

    /// The time of the last event, which the next one has that tells none.
    public Instant previous() {
        return previous;
    }

    private void hold(byte[] bytes, int from, int to) {
        position += to - from;
        if (tooLong) {
            return;
        }
        if (line.size() + to - from <= RseLine.READ_BYTES_MAX) {
            line.write(bytes, from, to - from);
            return;
        }
        tooLong = true;
        line.write(bytes, from, Math.min(to - from, SKIPPED_BYTES_KEPT));
        byte[] beginning = Arrays.copyOf(line.toByteArray(), SKIPPED_BYTES_KEPT);
        line.reset();
        line.writeBytes(beginning);
    }

    private void finishHeld(Test test, List<RseEntry> entries) {
        byte[] bytes = line.toByteArray();
        if (!tooLong) {
            finishLine(bytes, 0, bytes.length, test, entries);
            return;
        }
        String reason =
                "line has "
                        + (position - lineStart)
                        + " bytes, expected at most "
                        + RseLine.READ_BYTES_MAX;
        entries.add(
                new RseEntry.Bad(
                        lineStart,
                        position,
                        reason,
                        RseLineReader.decoded(bytes, 0, bytes.length)));
        startLine(List.of());
    }

    private void finishLine(byte[] bytes, int from, int to, Test test, List<RseEntry> entries) {
        List<RseEntry> found =
                test.mayHold(bytes, from, to)
                        ? RseLine.read(bytes, from, to, lineStart, position, previous)
                        : List.of();
        entries.addAll(found);
        startLine(found);
    }

    private void startLine(List<RseEntry> lastFound) {
        for (RseEntry entry : lastFound) {
            if (entry instanceof RseEntry.Read read) {
                previous = read.event().ts();
            }
        }
        line.reset();
        restTried = 0;
        tooLong = false;
        lineStart = position;
    }
}
