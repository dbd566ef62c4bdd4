package dev.pheromone.cli.terminal;

/// Foreign text as it may be shown: nothing in it can move the cursor, hide, reorder or pretend to
/// be our own words.
///
/// Escaped are C0 and C1 controls (and so every terminal sequence), bidirectional controls,
/// invisible characters that carry no shape, the tag and variation blocks that hide whole
/// sentences, and lone surrogates.
public final class SafeText {

    private static final int ESCAPE = 0x1b;

    private SafeText() {}

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
            boolean kept = (keepLines && (c == '\n' || c == '\t')) || !isUnsafe(c);
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

    private static boolean isUnsafe(int c) {
        if (c < 0x7f) {
            return c < 0x20;
        }
        return c <= 0x9f
                || c == 0xad // soft hyphen
                || c == 0x61c // Arabic letter mark
                || c == 0x180e // Mongolian vowel separator
                || c == 0x200b // zero width space; the joiners after it shape real scripts and
                // emoji
                || c == 0x200e
                || c == 0x200f
                || (c >= 0x2028 && c <= 0x202e) // separators, embeddings, overrides
                || (c >= 0x2060 && c <= 0x206f) // word joiner, invisible operators, isolates
                || c == 0xfeff
                || (c >= 0xfff9 && c <= 0xfffb) // annotations
                || (c >= 0xd800 && c <= 0xdfff)
                || (c >= 0xe0000 && c <= 0xe0fff); // tags, further variation selectors
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
