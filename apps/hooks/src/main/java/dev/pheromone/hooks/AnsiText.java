package dev.pheromone.hooks;

/// The text of `$'…'`: escapes as in C.
final class AnsiText {
    private static final String LETTERS = "abeEfnrtv\\'\"?";
    private static final String MEANINGS = "\u0007\b\u001b\u001b\f\n\r\t\u000b\\'\"?";

    private AnsiText() {}

    /// Reads up to and with the closing quote.
    static String read(Cursor cursor) throws ShellSyntaxException {
        var text = new StringBuilder();
        while (true) {
            char c = cursor.next();
            if (c == '\'') {
                return text.toString();
            }
            if (c != '\\') {
                text.append(c);
                continue;
            }
            char escape = cursor.next();
            int letter = LETTERS.indexOf(escape);
            if (letter >= 0) {
                text.append(MEANINGS.charAt(letter));
            } else if (escape == 'x') {
                appendByte(text, digits(cursor, 16, 2));
            } else if (escape == 'u' || escape == 'U') {
                append(text, digits(cursor, 16, escape == 'u' ? 4 : 8));
            } else if (Character.digit(escape, 8) >= 0) {
                cursor.at--;
                appendByte(text, digits(cursor, 8, 3) & 0xff);
            } else if (escape == 'c') {
                text.append((char) (cursor.next() & 0x1f));
            } else {
                text.append('\\').append(escape);
            }
        }
    }

    private static int digits(Cursor cursor, int radix, int countMax) throws ShellSyntaxException {
        int value = 0;
        int count = 0;
        while (count < countMax && Character.digit(cursor.peek(), radix) >= 0) {
            value = value * radix + Character.digit(cursor.next(), radix);
            count++;
        }
        if (count == 0) {
            throw new ShellSyntaxException("an escape has no digits");
        }
        return value;
    }

    private static void appendByte(StringBuilder text, int value) throws ShellSyntaxException {
        // Bytes above 127 are pieces of characters, and who puts them together we can't know.
        append(text, value > 127 ? 0 : value);
    }

    private static void append(StringBuilder text, int codePoint) throws ShellSyntaxException {
        if (codePoint == 0 || !Character.isValidCodePoint(codePoint)) {
            throw new ShellSyntaxException("an escape is not a character");
        }
        text.appendCodePoint(codePoint);
    }
}
