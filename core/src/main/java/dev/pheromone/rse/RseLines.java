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

    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private long lineStart;
    private long position;
    private boolean tooLong;
    private int restTried;
    private Instant previous = Instant.EPOCH;

    /// A splitter of the bytes that begin at `offset` of a log, which must be the beginning of a
    /// line.
    public RseLines(long offset) {
        this.lineStart = offset;
        this.position = offset;
    }

    /// Takes the next `length` bytes, and returns what the lines that end in them hold.
    public List<RseEntry> feed(byte[] bytes, int length) {
        var entries = new ArrayList<RseEntry>();
        int from = 0;
        for (int at = 0; at < length; at++) {
            if (bytes[at] == '\n') {
                hold(bytes, from, at);
                position++;
                finishLine(entries);
                from = at + 1;
            }
        }
        hold(bytes, from, length);
        return entries;
    }

    /// Takes what the last line holds though its line end is missing, if it is whole: an event that
    /// has ended can't become another. Nothing, and it stays held back, if it can't be read yet.
    public List<RseEntry> rest() {
        if (tooLong || line.size() == restTried) {
            return List.of();
        }
        restTried = line.size();
        List<RseEntry> found = RseLine.read(line.toByteArray(), lineStart, position, previous);
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

    private void finishLine(List<RseEntry> entries) {
        byte[] bytes = line.toByteArray();
        List<RseEntry> found;
        if (tooLong) {
            String reason =
                    "line has "
                            + (position - lineStart)
                            + " bytes, expected at most "
                            + RseLine.READ_BYTES_MAX;
            found =
                    List.of(
                            new RseEntry.Bad(
                                    lineStart, position, reason, RseLineReader.decoded(bytes)));
        } else {
            found = RseLine.read(bytes, lineStart, position, previous);
        }
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
