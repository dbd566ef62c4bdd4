package dev.pheromone.text;

/// Foreign text as it may be shown: nothing in it can move the cursor, hide, reorder or pretend to
/// be our own words.
///
/// Escaped are C0 and C1 controls (and so every terminal sequence), what nobody sees
/// ([InvisibleChars]: bidirectional controls, tags, characters without a width), and lone
/// surrogates.
public final class ShownText {

    private static final int ESCAPE = 0x1b;

    private ShownText() {}

    /// `text` on one line: line ends and tabs become `\n` and `\t`.
    public static String line(String text) {
        return escaped(text, false);
    }

    /// `text` with its lines kept; CR LF becomes LF.
    public static String block(String text) {
        return escaped(text.indexOf('\r') < 0 ? text : text.replace("\r\n", "\n"), true);
    }

    private static String escaped(String text, boolean keepLines) {
        StringBuilder safe = null;
        int i = 0;
        while (i < text.length()) {
            int c = text.codePointAt(i);
            boolean kept = (keepLines && (c == '\n' || c == '\t')) || !isUnsafe(text, i);
            if (!kept && safe == null) {
                safe = new StringBuilder(text.length() + 16).append(text, 0, i);
            }
            if (safe != null) {
                if (kept) {
                    safe.appendCodePoint(c);
                } else {
                    appendEscape(safe, c);
                }
            }
            i += Character.charCount(c);
        }
        return safe == null ? text : safe.toString();
    }

    private static boolean isUnsafe(String text, int index) {
        int c = text.codePointAt(index);
        if (c < 0x7f) {
            return c < 0x20;
        }
        return c <= 0x9f
                || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE)
                || InvisibleChars.isHidden(text, index);
    }

    private static void appendEscape(StringBuilder safe, int c) {
        switch (c) {
            case '\n' -> safe.append("\\n");
            case '\r' -> safe.append("\\r");
            case '\t' -> safe.append("\\t");
            case ESCAPE -> safe.append("\\e");
            default -> {
                String hex = Integer.toHexString(c);
                if (c <= 0xff) {
                    safe.append("\\x").append("0".repeat(2 - hex.length())).append(hex);
                } else if (c <= 0xffff) {
                    safe.append("\\u").append("0".repeat(4 - hex.length())).append(hex);
                } else {
                    safe.append("\\u{").append(hex).append('}');
                }
            }
        }
    }
}
