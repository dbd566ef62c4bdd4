package dev.pheromone.text;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Reads JSON as programs mostly write it, several times as fast as a reader of all JSON: plain
/// ASCII, no escapes, few fields, little depth. Of anything else it says nothing, and the reader of
/// all JSON is asked.
///
/// What it reads it reads alike: an event log of a gigabyte has five million lines.
final class QuickJson {

    private static final int DEPTH_MAX = 8;
    private static final int FIELDS_MAX = 24;
    private static final int FIELDS_USUAL = 8;

    /// The names that events have, each at its slot, to be used instead of a copy.
    private static final String[] NAMES = new String[256];

    static {
        for (String name :
                List.of(
                        "ts",
                        "type",
                        "lane",
                        "actor",
                        "data",
                        "id",
                        "ref",
                        "to",
                        "from",
                        "inbox",
                        "path",
                        "hash",
                        "priority",
                        "ttl",
                        "attempt",
                        "topic",
                        "tags",
                        "consent",
                        "basis",
                        "rationale",
                        "name",
                        "parent",
                        "status",
                        "note",
                        "reason")) {
            NAMES[slot(name.length(), name.charAt(0), name.charAt(name.length() - 1))] = name;
        }
    }

    private final String text;
    private int at;
    private boolean gaveUp;

    private QuickJson(String text) {
        this.text = text;
    }

    /// The value in `text`; null if that is for another reader to say.
    static @Nullable Json read(String text) {
        QuickJson reader = new QuickJson(text);
        Json value = reader.value(0);
        return reader.gaveUp || reader.at != text.length() ? null : value;
    }

    /// The value at the place; anything once it gave up.
    private Json value(int depth) {
        return switch (peek()) {
            case '"' -> new Json.Str(string());
            case '{' -> depth == DEPTH_MAX ? giveUp() : object(depth + 1);
            case '[' -> depth == DEPTH_MAX ? giveUp() : array(depth + 1);
            case 't' -> word("true", Json.Bool.TRUE);
            case 'f' -> word("false", Json.Bool.FALSE);
            case 'n' -> word("null", Json.Null.NULL);
            default -> number();
        };
    }

    private Json object(int depth) {
        at++;
        String[] names = new String[FIELDS_USUAL];
        Json[] values = new Json[FIELDS_USUAL];
        int count = 0;
        if (peek() == '}') {
            at++;
            return Json.Obj.EMPTY;
        }
        while (!gaveUp) {
            String name = name();
            if (count == FIELDS_MAX || isAmong(name, names, count) || next() != ':') {
                return giveUp();
            }
            skipSpace();
            if (count == names.length) {
                names = Arrays.copyOf(names, FIELDS_MAX);
                values = Arrays.copyOf(values, FIELDS_MAX);
            }
            names[count] = name;
            values[count++] = value(depth);
            char after = next();
            if (after == '}') {
                return new Json.Obj(Arrays.copyOf(names, count), Arrays.copyOf(values, count));
            }
            if (after != ',') {
                return giveUp();
            }
            skipSpace();
        }
        return Json.Null.NULL;
    }

    private static boolean isAmong(String name, String[] names, int count) {
        for (int i = 0; i < count; i++) {
            if (names[i].equals(name)) {
                return true;
            }
        }
        return false;
    }

    private Json array(int depth) {
        at++;
        List<Json> items = new ArrayList<>();
        if (peek() == ']') {
            at++;
            return new Json.Arr(items);
        }
        while (!gaveUp) {
            items.add(value(depth));
            char after = next();
            if (after == ']') {
                return new Json.Arr(items);
            }
            if (after != ',') {
                return giveUp();
            }
            skipSpace();
        }
        return Json.Null.NULL;
    }

    private Json word(String word, Json value) {
        if (!text.startsWith(word, at)) {
            return giveUp();
        }
        at += word.length();
        return value;
    }

    private Json number() {
        int from = at;
        while ("+-.0123456789eE".indexOf(peek()) >= 0) {
            at++;
        }
        String raw = text.substring(from, at);
        return JsonNumber.isValid(raw) && raw.length() <= JsonReader.NUMBER_LENGTH_MAX
                ? new Json.Num(raw)
                : giveUp();
    }

    /// The place of the quote that ends the string at the place; -1 if that is not simple.
    private int stringEnd() {
        if (peek() != '"') {
            return -1;
        }
        for (int i = at + 1; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"') {
                return i;
            }
            if (c < ' ' || c == '\\' || c > '~') {
                return -1;
            }
        }
        return -1;
    }

    private String string() {
        int end = stringEnd();
        if (end < 0) {
            Json _ = giveUp();
            return "";
        }
        String string = text.substring(at + 1, end);
        at = end + 1;
        return string;
    }

    private String name() {
        int end = stringEnd();
        int from = at + 1;
        int length = end - from;
        if (length <= 0) {
            return string();
        }
        String known = NAMES[slot(length, text.charAt(from), text.charAt(end - 1))];
        at = end + 1;
        return known != null && known.length() == length && text.startsWith(known, from)
                ? known
                : text.substring(from, end);
    }

    private static int slot(int length, char first, char last) {
        return (length * 31 + first * 7 + last) & (NAMES.length - 1);
    }

    /// The next character that is not a space, and behind it.
    private char next() {
        skipSpace();
        char c = peek();
        at++;
        return c;
    }

    private void skipSpace() {
        while (peek() == ' ') {
            at++;
        }
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private Json giveUp() {
        gaveUp = true;
        return Json.Null.NULL;
    }
}
