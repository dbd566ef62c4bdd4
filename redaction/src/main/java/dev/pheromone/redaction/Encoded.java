package dev.pheromone.redaction;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/// Characters of ASCII that are written otherwise: percent-encoded, as an entity of HTML, with a
/// backslash, in full width, or as a letter of another script that looks the same.
final class Encoded {

    /// A character, and how many characters of the text stand for it.
    record Reading(char value, int length) {}

    private static final int HEX = 16;
    private static final int FIRST = 0x20;
    private static final int LAST = 0x7E;

    private static final Map<String, Character> ENTITIES =
            Map.ofEntries(
                    Map.entry("&quot;", '"'),
                    Map.entry("&apos;", '\''),
                    Map.entry("&amp;", '&'),
                    Map.entry("&lt;", '<'),
                    Map.entry("&gt;", '>'),
                    Map.entry("&nbsp;", ' '),
                    Map.entry("&colon;", ':'),
                    Map.entry("&equals;", '='),
                    Map.entry("&commat;", '@'),
                    Map.entry("&lowbar;", '_'));

    private static final String LOOK_ALIKES = "аеорсухіѕјԁһΑΒΕΖΗΙΚΜΝΟΡΤΥΧ";
    private static final String LATIN = "aeopcyxisjdhABEZHIKMNOPTYX";

    private Encoded() {}

    /// The character that is written otherwise at `start`; null if none is. Nothing at or after
    /// `end` is looked at.
    static @Nullable Reading at(String text, int start, int end) {
        char c = text.charAt(start);
        return switch (c) {
            case '%' ->
                    // A percent sign that is encoded itself was encoded twice.
                    text.startsWith("%25", start) && start + 3 < end
                            ? hex(text, start, start + 3, 2, end)
                            : hex(text, start, start + 1, 2, end);
            case '&' -> entity(text, start, end);
            case '\\' ->
                    start + 1 >= end
                            ? null
                            : switch (text.charAt(start + 1)) {
                                case 'u' -> hex(text, start, start + 2, 4, end);
                                case 'x' -> hex(text, start, start + 2, 2, end);
                                case '"', '\'', '/' -> new Reading(text.charAt(start + 1), 2);
                                default -> null;
                            };
            default -> c < 0x80 ? null : lookAlike(c);
        };
    }

    private static @Nullable Reading lookAlike(char c) {
        if (c >= '\uFF01' && c <= '\uFF5E') {
            return new Reading((char) (c - '\uFF01' + '!'), 1);
        }
        int known = LOOK_ALIKES.indexOf(c);
        return known < 0 ? null : new Reading(LATIN.charAt(known), 1);
    }

    private static @Nullable Reading entity(String text, int start, int end) {
        final int lengthMax = 10;
        int semicolon = text.indexOf(';', start, Math.min(end, start + lengthMax));
        if (semicolon < 0) {
            return null;
        }
        int length = semicolon + 1 - start;
        Character named = ENTITIES.get(text.substring(start, semicolon + 1));
        if (named != null) {
            return new Reading(named, length);
        }
        if (text.charAt(start + 1) != '#') {
            return null;
        }
        boolean isHex = length > 3 && (text.charAt(start + 2) | ' ') == 'x';
        return printable(text, start + (isHex ? 3 : 2), semicolon, isHex ? HEX : 10, length);
    }

    private static @Nullable Reading hex(String text, int start, int digits, int count, int end) {
        return digits + count > end
                ? null
                : printable(text, digits, digits + count, HEX, digits + count - start);
    }

    /// The character whose number stands in `text` from `start` to before `end`, if it is one that
    /// people can see.
    private static @Nullable Reading printable(
            String text, int start, int end, int radix, int length) {
        int value = 0;
        for (int i = start; i < end; i++) {
            int digit = Character.digit(text.charAt(i), radix);
            if (digit < 0) {
                return null;
            }
            value = value * radix + digit;
        }
        return start < end && value >= FIRST && value <= LAST
                ? new Reading((char) value, length)
                : null;
    }
}
