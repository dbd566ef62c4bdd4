package dev.pheromone.rse;

import dev.pheromone.text.Json;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;

/// One line of an event log: written strictly, read tolerantly.
///
/// A written line is `{"ts":…,"type":…,"lane":…,"actor":…,"data":{…}}` in this order, UTF-8, and
/// ends in LF.
public final class RseLine {

    /// The longest line that is written, its line end included.
    public static final int WRITTEN_BYTES_MAX = 16 * 1024;

    /// The longest line that is read: what others write may be longer than what we do, but not
    /// without limit.
    public static final int READ_BYTES_MAX = 1024 * 1024;

    private static final int LENGTH_USUAL = 512;

    private RseLine() {}

    /// The line of `event`, with its line end. Data that would make it too long is cut: long texts
    /// end in `…`, and the data says `truncated` and where to find more (`ref`).
    public static byte[] write(RseEvent event) {
        byte[] line = bytes(event, event.type(), event.actor(), event.data());
        return line.length <= WRITTEN_BYTES_MAX ? line : RseCut.write(event);
    }

    static byte[] bytes(RseEvent event, String type, String actor, Json.Obj data) {
        // Straight into one buffer: a log may get hundreds of thousands of events a second.
        var text = new StringBuilder(LENGTH_USUAL);
        text.append("{\"ts\":\"").append(RseTime.format(event.ts())).append("\",\"type\":");
        Json.of(type).appendTo(text);
        text.append(",\"lane\":");
        Json.of(event.lane().name()).appendTo(text);
        text.append(",\"actor\":");
        Json.of(actor).appendTo(text);
        text.append(",\"data\":");
        data.appendTo(text);
        return text.append("}\n").toString().getBytes(StandardCharsets.UTF_8);
    }

    /// What `line` holds, which has no line end any more: none if it is blank, several if it is an
    /// array. Never fails.
    ///
    /// `offset` is the place of the line in its log, and `previous` the time of the event before
    /// it.
    public static List<RseEntry> read(byte[] line, long offset, Instant previous) {
        return read(line, 0, line.length, offset, offset + line.length + 1, previous);
    }

    /// As [#read(byte[], long, Instant)], of the bytes from `from` to `to`.
    static List<RseEntry> read(
            byte[] bytes, int from, int to, long offset, long end, Instant previous) {
        return new RseLineReader(offset, end, previous).read(bytes, from, to);
    }
}
