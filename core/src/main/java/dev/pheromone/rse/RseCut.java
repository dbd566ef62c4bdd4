package dev.pheromone.rse;

import dev.pheromone.envelope.ContentHash;
import dev.pheromone.text.Json;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// Makes the line of an event short enough: what it is about stays, long content goes, and a
/// pointer says so.
///
/// The pointer is `ref`: the event's own, or else the hash of the data as it was, by which the
/// whole can be known again. Strings are shortened more and more until the line fits; last, only
/// the fields that identify are left.
final class RseCut {

    private static final int TEXT_LENGTH_MAX = 4_096;
    private static final int TEXT_LENGTH_MIN = 64;
    private static final int STEP = 4;

    /// An array or object keeps one item for so many characters that a string may keep.
    private static final int CHARS_PER_ITEM = 16;

    /// 128 characters, written as six bytes each at worst: all identifying fields together still
    /// fit a line.
    private static final int NAME_LENGTH_MAX = 128;

    private static final Set<String> IDENTIFYING =
            Set.of(
                    "id",
                    "ref",
                    "inbox",
                    "attempt",
                    "status",
                    "reason",
                    "topic",
                    "name",
                    "lock",
                    "mode",
                    "basis",
                    "action",
                    "path",
                    "hash",
                    "corrects",
                    "consent",
                    "truncated");

    private static final String ELLIPSIS = "…";

    private RseCut() {}

    static byte[] write(RseEvent event) {
        String type = shortened(event.type(), NAME_LENGTH_MAX);
        String actor = shortened(event.actor(), NAME_LENGTH_MAX);
        Json.Obj whole = marked(event.data());
        for (int length = TEXT_LENGTH_MAX; length >= TEXT_LENGTH_MIN; length /= STEP) {
            byte[] line = RseLine.bytes(event, type, actor, cut(whole, length));
            if (line.length <= RseLine.WRITTEN_BYTES_MAX) {
                return line;
            }
        }
        return RseLine.bytes(event, type, actor, identifying(whole));
    }

    private static Json.Obj marked(Json.Obj data) {
        String ref =
                data.optionalText("ref")
                        .orElseGet(() ->
                                ContentHash.of(data.toString().getBytes(StandardCharsets.UTF_8))
                                        .toString());
        return data.put("truncated", true).put("ref", ref);
    }

    private static Json cut(Json value, int length) {
        return switch (value) {
            case Json.Str(var text) -> Json.of(shortened(text, length));
            case Json.Num(var raw) ->
                    raw.length() <= length ? value : Json.of(shortened(raw, length));
            case Json.Arr(var items) -> cut(items, length);
            case Json.Obj object -> cut(object, length);
            case Json.Bool flag -> flag;
            case Json.Null nothing -> nothing;
        };
    }

    private static Json.Arr cut(List<Json> items, int length) {
        int count = length / CHARS_PER_ITEM;
        Stream<Json> kept = items.stream().limit(count).map(item -> cut(item, length));
        return new Json.Arr(
                items.size() <= count
                        ? kept.toList()
                        : Stream.concat(kept, Stream.of(Json.of(ELLIPSIS))).toList());
    }

    private static Json.Obj cut(Json.Obj object, int length) {
        int count = length / CHARS_PER_ITEM;
        Json.Obj kept = Json.obj();
        for (String name : object.names()) {
            if (kept.size() < count || IDENTIFYING.contains(name)) {
                kept =
                        kept.put(
                                shortened(name, NAME_LENGTH_MAX),
                                cut(object.get(name).orElseThrow(), length));
            }
        }
        return kept;
    }

    private static Json.Obj identifying(Json.Obj data) {
        Json.Obj kept = Json.obj();
        for (String name : data.names()) {
            if (IDENTIFYING.contains(name)) {
                Json value = data.get(name).orElseThrow();
                boolean single = !(value instanceof Json.Arr) && !(value instanceof Json.Obj);
                kept = single ? kept.put(name, cut(value, NAME_LENGTH_MAX)) : kept;
            }
        }
        return kept;
    }

    /// `text`, or its first characters and `…`. Never half of a surrogate pair.
    static String shortened(String text, int lengthMax) {
        if (text.length() <= lengthMax) {
            return text;
        }
        int end = lengthMax - 1;
        return text.substring(0, Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end)
                + ELLIPSIS;
    }
}
