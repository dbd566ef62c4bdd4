package dev.pheromone.rse;

import dev.pheromone.address.Lane;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Reads one line as people and programs really write it. What can be an event becomes one; the
/// rest is said to be bad.
///
/// Tolerated are: text in windows-1252, byte order marks, CR, an array of events, the names
/// `event`, `target` and `note` for `type`, `lane` and `data`, times in many forms or none, unknown
/// types and lanes, and everything that `Json` tolerates. Fields beside the five are kept in
/// `data`.
final class RseLineReader {

    private static final Charset WINDOWS_1252 = Charset.forName("windows-1252");
    private static final int EXCERPT_LENGTH_MAX = 80;
    private static final int LANE_LENGTH_MAX = 64;
    static final Lane NO_LANE = new Lane("unknown");
    private static final String NO_ACTOR = "unknown";
    private static final List<String> READ_NAMES = List.of("ts", "type", "lane", "actor", "data");

    private final long offset;
    private final long end;
    private Instant previous;

    private final List<RseEntry> entries = new ArrayList<>(1);
    private int badItems;

    RseLineReader(long offset, long end, Instant previous) {
        this.offset = offset;
        this.end = end;
        this.previous = previous;
    }

    List<RseEntry> read(byte[] bytes, int from, int to) {
        String text = decoded(bytes, from, to);
        if (text.isEmpty()) {
            return List.of();
        }
        try {
            Json value = Json.parse(text);
            if (value instanceof Json.Arr(var items)) {
                readAll(items, text);
            } else {
                String problem = readOne(value);
                if (problem != null) {
                    entries.add(bad(problem, text));
                }
            }
        } catch (MalformedJsonException e) {
            entries.add(bad("not JSON: column " + e.column() + ": " + e.problem(), text));
        }
        return entries;
    }

    private void readAll(List<Json> items, String text) {
        String firstProblem = "";
        for (Json item : items) {
            String problem = readOne(item);
            if (problem != null && badItems++ == 0) {
                firstProblem = problem;
            }
        }
        if (badItems > 0) {
            entries.add(
                    bad(badItems + " of " + items.size() + " in an array: " + firstProblem, text));
        }
    }

    /// Adds the event in `value`, or returns why there is none.
    private @Nullable String readOne(Json value) {
        if (!(value instanceof Json.Obj fields)) {
            return "found " + value.getClass().getSimpleName() + ", expected an event object";
        }
        Optional<String> type = text(fields, "type").or(() -> text(fields, "event"));
        if (type.isEmpty()) {
            return "type: found nothing, expected a name such as pheromone_drop";
        }
        Optional<Instant> ts = time(fields);
        previous = ts.orElse(previous);
        String actor = text(fields, "actor").orElse(NO_ACTOR);
        RseEvent event = RseEvent.of(previous, type.get(), lane(fields), actor, data(fields));
        entries.add(new RseEntry.Read(offset, end, event, ts.isPresent()));
        return null;
    }

    // Here and below chains of tests, not pattern switches: linking the first one takes 5 ms.
    private static Optional<Instant> time(Json.Obj fields) {
        Json ts = fields.get("ts").orElse(Json.Null.NULL);
        if (ts instanceof Json.Str text) {
            return RseTime.parse(text.value());
        }
        return ts instanceof Json.Num number
                ? RseTime.ofNumber(number.doubleValue())
                : Optional.empty();
    }

    private static Lane lane(Json.Obj fields) {
        return text(fields, "lane")
                .or(() -> text(fields, "target"))
                .map(name -> Lane.parse(RseCut.shortened(name, LANE_LENGTH_MAX)))
                .orElse(NO_LANE);
    }

    /// The data, and in it every field beside the five that carries more than they do.
    private static Json.Obj data(Json.Obj fields) {
        Json given = fields.get("data").or(() -> fields.get("note")).orElse(Json.Null.NULL);
        Json.Obj data = Json.obj();
        if (given instanceof Json.Obj object) {
            data = object;
        } else if (fields.has("data") && !(given instanceof Json.Null)) {
            data = data.put("value", given);
        }
        if (hasNoOthers(fields)) {
            return data;
        }
        Json.Obj more = others(fields);
        // The fields of the data come first, and what they say counts.
        return more.size() == 0 ? data : data.putAll(more).putAll(data);
    }

    private static boolean hasNoOthers(Json.Obj fields) {
        int read = 0;
        for (String name : READ_NAMES) {
            read += fields.has(name) ? 1 : 0;
        }
        return read == fields.size();
    }

    /// The fields that were read neither as one of the five nor in place of one.
    private static Json.Obj others(Json.Obj fields) {
        Json.Obj others = fields;
        for (String name : READ_NAMES) {
            others = others.without(name);
        }
        if (text(fields, "type").isEmpty()) {
            others = others.without("event");
        }
        if (text(fields, "lane").isEmpty()) {
            others = others.without("target");
        }
        boolean noteIsData =
                !fields.has("data")
                        && fields.get("note").orElse(Json.Null.NULL) instanceof Json.Obj;
        return noteIsData ? others.without("note") : others;
    }

    private static Optional<String> text(Json.Obj fields, String name) {
        return fields.optionalText(name).map(String::strip).filter(text -> !text.isEmpty());
    }

    private RseEntry.Bad bad(String reason, String text) {
        return new RseEntry.Bad(offset, end, reason, RseCut.shortened(text, EXCERPT_LENGTH_MAX));
    }

    /// The text of the line without byte order marks and white space around it.
    static String decoded(byte[] bytes, int from, int to) {
        if (isAscii(bytes, from, to)) {
            // The usual line, in a fifth of the time that a decoder takes.
            return new String(bytes, from, to - from, StandardCharsets.ISO_8859_1).strip();
        }
        int start = from;
        while (to - start >= 3
                && bytes[start] == (byte) 0xef
                && bytes[start + 1] == (byte) 0xbb
                && bytes[start + 2] == (byte) 0xbf) {
            start += 3;
        }
        ByteBuffer text = ByteBuffer.wrap(bytes, start, to - start);
        try {
            // A new decoder reports what it can't read, where a String would replace it.
            return StandardCharsets.UTF_8.newDecoder().decode(text).toString().strip();
        } catch (CharacterCodingException notUtf8) {
            return WINDOWS_1252.decode(text.position(start)).toString().strip();
        }
    }

    private static boolean isAscii(byte[] bytes, int from, int to) {
        for (int at = from; at < to; at++) {
            if (bytes[at] < 0) {
                return false;
            }
        }
        return true;
    }
}
