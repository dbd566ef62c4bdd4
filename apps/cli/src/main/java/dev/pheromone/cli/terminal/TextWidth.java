package dev.pheromone.cli.terminal;

/// How many terminal columns a text takes.
///
/// East Asian characters and emoji take two, combining marks none. Terminals disagree on the newest
/// emoji; being one column off there only bends a table.
public final class TextWidth {

    private static final int ZERO_WIDTH_JOINER = 0x200d;
    private static final int EMOJI_STYLE = 0xfe0f;

    /// First and last code points of the wide blocks that are not emoji.
    private static final int[] WIDE = {
        0x1100, 0x115f, 0x2e80, 0x303e, 0x3041, 0x33ff, 0x3400, 0x4dbf, 0x4e00, 0x9fff, 0xa000,
        0xa4cf, 0xa960, 0xa97f, 0xac00, 0xd7a3, 0xf900, 0xfaff, 0xfe30, 0xfe6f, 0xff00, 0xff60,
        0xffe0, 0xffe6, 0x16fe0, 0x18d08, 0x1aff0, 0x1b2fb, 0x20000, 0x3fffd
    };

    private TextWidth() {}

    public static int of(String text) {
        if (isAscii(text)) {
            return text.length();
        }
        int width = 0;
        int i = 0;
        while (i < text.length()) {
            int end = clusterEnd(text, i);
            width += clusterWidth(text, i, end);
            i = end;
        }
        return width;
    }

    /// `text`, cut to at most `columns`; what was cut ends in `…`.
    public static String cut(String text, int columns) {
        if (of(text) <= columns) {
            return text;
        }
        int width = 0;
        int i = 0;
        while (i < text.length()) {
            int end = clusterEnd(text, i);
            int next = width + clusterWidth(text, i, end);
            if (next > columns - 1) {
                break;
            }
            width = next;
            i = end;
        }
        return text.substring(0, i).stripTrailing() + "…";
    }

    private static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) > 0x7e) {
                return false;
            }
        }
        return true;
    }

    /// The end of the character that starts at `start`, with the marks and joined emoji that belong
    /// to it.
    private static int clusterEnd(String text, int start) {
        int first = text.codePointAt(start);
        int end = start + Character.charCount(first);
        if (isRegional(first) && end < text.length() && isRegional(text.codePointAt(end))) {
            return end + 2;
        }
        while (end < text.length()) {
            int c = text.codePointAt(end);
            if (c == ZERO_WIDTH_JOINER && end + 1 < text.length()) {
                end += 1 + Character.charCount(text.codePointAt(end + 1));
            } else if (isMark(c) || Character.isEmojiModifier(c)) {
                end += Character.charCount(c);
            } else {
                break;
            }
        }
        return end;
    }

    private static int clusterWidth(String text, int start, int end) {
        int first = text.codePointAt(start);
        if (isRegional(first)) {
            return 2;
        }
        int width = isMark(first) ? 0 : isWide(first) ? 2 : 1;
        boolean emojiStyle =
                text.indexOf(EMOJI_STYLE, start) > start && text.indexOf(EMOJI_STYLE, start) < end;
        return width == 1 && emojiStyle ? 2 : width;
    }

    private static boolean isRegional(int c) {
        return c >= 0x1f1e6 && c <= 0x1f1ff;
    }

    private static boolean isMark(int c) {
        int type = Character.getType(c);
        return type == Character.NON_SPACING_MARK
                || type == Character.ENCLOSING_MARK
                || type == Character.FORMAT
                || (c >= 0x1160 && c <= 0x11ff); // the later parts of a Hangul syllable
    }

    private static boolean isWide(int c) {
        for (int i = 0; i < WIDE.length; i += 2) {
            if (c >= WIDE[i] && c <= WIDE[i + 1]) {
                return true;
            }
        }
        return Character.isEmojiPresentation(c);
    }
}
