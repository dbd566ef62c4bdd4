package dev.pheromone.text;

import java.util.List;

/// Compact JSON text: no spaces, and nothing in it that could break a line, a terminal or a strict
/// reader.
///
/// Escaped are quote, backslash, all C0 and C1 controls, DEL, surrogates without a partner (they
/// have no UTF-8 form), and what nobody sees ([InvisibleChars], among them the line separators
/// U+2028 and U+2029). All else is written as it is.
final class JsonWriter {

    private static final char[] HEX = "0123456789abcdef".toCharArray();

    private JsonWriter() {}

    static String write(Json value) {
        var out = new StringBuilder(128);
        write(value, out);
        return out.toString();
    }

    // A chain of tests, not a pattern switch: linking the first one costs a short command 5 ms at
    // its start.
    static void write(Json value, StringBuilder out) {
        if (value instanceof Json.Str text) {
            quote(text.value(), out);
        } else if (value instanceof Json.Obj object) {
            write(object, out);
        } else if (value instanceof Json.Arr array) {
            write(array.items(), out);
        } else {
            out.append(value);
        }
    }

    private static void write(Json.Obj object, StringBuilder out) {
        out.append('{');
        for (int i = 0; i < object.size(); i++) {
            if (i > 0) {
                out.append(',');
            }
            quote(object.nameAt(i), out);
            out.append(':');
            write(object.valueAt(i), out);
        }
        out.append('}');
    }

    private static void write(List<Json> items, StringBuilder out) {
        out.append('[');
        for (int i = 0; i < items.size(); i++) {
            if (i > 0) {
                out.append(',');
            }
            write(items.get(i), out);
        }
        out.append(']');
    }

    private static void quote(String text, StringBuilder out) {
        out.append('"');
        int plain = plainUntil(text, 0);
        if (plain == text.length()) {
            out.append(text);
        } else {
            escapeFrom(text, plain, out);
        }
        out.append('"');
    }

    private static void escapeFrom(String text, int firstEscape, StringBuilder out) {
        int done = 0;
        int at = firstEscape;
        while (at < text.length()) {
            out.append(text, done, at);
            escape(text.charAt(at), out);
            done = at + 1;
            at = plainUntil(text, done);
        }
        out.append(text, done, text.length());
    }

    /// Where the first character from `from` on stands that needs an escape, or the end.
    private static int plainUntil(String text, int from) {
        int at = from;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c < 0x7f ? c >= ' ' && c != '"' && c != '\\' : isPlain(text, at)) {
                at += c < 0x7f || !Character.isSurrogate(c) ? 1 : 2;
            } else {
                break;
            }
        }
        return at;
    }

    /// Whether the character beyond ASCII that begins at `index` is written as it is.
    private static boolean isPlain(String text, int index) {
        int c = text.codePointAt(index);
        boolean isLoneSurrogate = c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
        return c > 0x9f && !isLoneSurrogate && !InvisibleChars.isHidden(text, index);
    }

    private static void escape(char c, StringBuilder out) {
        out.append('\\');
        switch (c) {
            case '"', '\\' -> out.append(c);
            case '\n' -> out.append('n');
            case '\r' -> out.append('r');
            case '\t' -> out.append('t');
            case '\b' -> out.append('b');
            case '\f' -> out.append('f');
            default ->
                    out.append('u')
                            .append(HEX[c >> 12])
                            .append(HEX[c >> 8 & 0xf])
                            .append(HEX[c >> 4 & 0xf])
                            .append(HEX[c & 0xf]);
        }
    }
}
