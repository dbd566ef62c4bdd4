package dev.pheromone.rse;

import dev.pheromone.envelope.ContentHash;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/// A place in an event log that can be kept across restarts: `1284-9f86d081884c7d65`, or `0` for
/// the beginning.
///
/// It knows the bytes around it: the fingerprint covers the beginning of the log and what stands
/// just before the place. So a log that was cut short or replaced since is noticed, instead of
/// being read from the middle of some line.
public record Cursor(long offset, String fingerprint) {

    /// The beginning of any log.
    public static final Cursor START = new Cursor(0, "");

    /// How many bytes at the beginning, and how many before the place, the fingerprint covers.
    public static final int WINDOW_BYTES = 512;

    private static final int DIGITS = 16;

    public Cursor {
        boolean valid =
                offset == 0
                        ? fingerprint.isEmpty()
                        : offset > 0 && fingerprint.matches("[0-9a-f]{16}");
        if (!valid) {
            throw new IllegalArgumentException(
                    "cursor: found \""
                            + offset
                            + "-"
                            + fingerprint
                            + "\", expected 0, or an offset, a dash and 16 digits");
        }
    }

    /// The cursor at `offset` of a log, given its first bytes and those just before the offset: of
    /// both as many as there are, at most `WINDOW_BYTES`.
    public static Cursor at(long offset, byte[] first, byte[] before) {
        if (offset == 0) {
            return START;
        }
        var covered = new ByteArrayOutputStream();
        covered.writeBytes((offset + "\n").getBytes(StandardCharsets.US_ASCII));
        covered.writeBytes(first);
        covered.writeBytes(before);
        return new Cursor(offset, ContentHash.of(covered.toByteArray()).hex().substring(0, DIGITS));
    }

    /// Reads what `toString` wrote; fails on anything else.
    public static Cursor parse(String text) {
        int dash = text.indexOf('-');
        try {
            return dash < 0
                    ? new Cursor(Long.parseLong(text), "")
                    : new Cursor(Long.parseLong(text.substring(0, dash)), text.substring(dash + 1));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "cursor: found \""
                            + text
                            + "\", expected 0, or an offset, a dash and 16 digits");
        }
    }

    @Override
    public String toString() {
        return offset == 0 ? "0" : offset + "-" + fingerprint;
    }
}
