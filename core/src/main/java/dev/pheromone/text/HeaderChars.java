package dev.pheromone.text;

/// The characters that a header may contain: printable ones, in well-formed UTF-8.
///
/// Left out are controls, whatever breaks a line for some reader but not for another, byte order
/// marks, and the marks that make a line read differently from what it says.
public final class HeaderChars {

    /// What [#decode] answers for bytes that are not UTF-8.
    public static final int NOT_UTF8 = -1;

    /// What [#decode] answers where the bytes end inside a character.
    public static final int CUT_OFF = -2;

    private HeaderChars() {}

    /// Whether `text` says nothing. Only U+0020 counts as a space: what else Unicode takes for one
    /// differs from language to language.
    public static boolean isOnlySpaces(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) != ' ') {
                return false;
            }
        }
        return true;
    }

    public static boolean isAllowed(int codePoint) {
        if (codePoint < 0x7F) {
            return codePoint >= ' ';
        }
        return codePoint > 0x9F && (codePoint < 0x2028 || !isForbiddenAbove2027(codePoint));
    }

    private static boolean isForbiddenAbove2027(int codePoint) {
        return isLineSeparator(codePoint)
                || isBidiControl(codePoint)
                || (codePoint >= 0xD800 && codePoint <= 0xDFFF)
                || codePoint == 0xFEFF
                || codePoint == 0xFFFE
                || codePoint == 0xFFFF;
    }

    /// What kind of character a forbidden one is, for error messages.
    public static String describe(int codePoint) {
        String kind;
        if (codePoint == '\t') {
            kind = "a tab";
        } else if (codePoint == '\r') {
            kind = "a carriage return without a line feed";
        } else if (codePoint <= 0x9F) {
            kind = "a control character";
        } else if (isBidiControl(codePoint)) {
            kind = "a bidirectional control";
        } else if (isLineSeparator(codePoint)) {
            kind = "a line separator";
        } else if (codePoint == 0xFEFF) {
            kind = "a byte order mark";
        } else {
            kind = "no character";
        }
        return "%s (U+%04X)".formatted(kind, codePoint);
    }

    /// The code point whose UTF-8 form begins at `at`, in its only well-formed spelling.
    public static int decode(byte[] bytes, int at, int end) {
        int first = bytes[at];
        if (first >= 0) {
            return first;
        }
        int length =
                (first & 0xE0) == 0xC0
                        ? 2
                        : (first & 0xF0) == 0xE0 ? 3 : (first & 0xF8) == 0xF0 ? 4 : 0;
        if (length == 0) {
            return NOT_UTF8;
        }
        int codePoint = first & (0x7F >> length);
        for (int i = at + 1; i < at + length; i++) {
            if (i == end) {
                return CUT_OFF;
            }
            if ((bytes[i] & 0xC0) != 0x80) {
                return NOT_UTF8;
            }
            codePoint = codePoint << 6 | (bytes[i] & 0x3F);
        }
        return codePoint < smallestOf(length) || codePoint > 0x10FFFF ? NOT_UTF8 : codePoint;
    }

    /// How many bytes `codePoint` takes.
    public static int length(int codePoint) {
        return codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
    }

    private static int smallestOf(int length) {
        return length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
    }

    private static boolean isLineSeparator(int codePoint) {
        return codePoint == 0x2028 || codePoint == 0x2029;
    }

    private static boolean isBidiControl(int codePoint) {
        return (codePoint >= 0x202A && codePoint <= 0x202E)
                || (codePoint >= 0x2066 && codePoint <= 0x2069);
    }
}
