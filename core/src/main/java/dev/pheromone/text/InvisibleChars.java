package dev.pheromone.text;

/// Characters that nobody sees: marks of direction, tags, spaces without a width, fillers,
/// selectors of variants. Whole sentences can hide in them, which an agent reads and a person does
/// not.
public final class InvisibleChars {

    private static final int ZERO_WIDTH_NON_JOINER = 0x200C;
    private static final int ZERO_WIDTH_JOINER = 0x200D;

    /// The last character of the Latin letters and what belongs to them; nothing up to here is
    /// joined.
    private static final int LATIN_LAST = 0x2FF;

    private InvisibleChars() {}

    /// Whether `codePoint` has no shape of its own, wherever it stands.
    public static boolean isInvisible(int codePoint) {
        if (codePoint < 0xAD) {
            return false;
        }
        return switch (codePoint) {
            // Combining grapheme joiner, Hangul fillers, Khmer inherent vowels, braille blank.
            case 0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0 -> true;
            // These of the format characters are drawn: they stand around or below numbers.
            case 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD -> false;
            default ->
                    isVariationSelector(codePoint)
                            || (codePoint >= 0x2028 && codePoint <= 0x202E) // separators, bidi
                            || (codePoint >= 0x2060 && codePoint <= 0x206F)
                            || (codePoint >= 0xFFF0 && codePoint <= 0xFFFB)
                            || (codePoint >= 0xE0000 && codePoint <= 0xE0FFF) // tags and selectors
                            || (Character.getType(codePoint) == Character.FORMAT
                                    && !(codePoint >= 0x600 && codePoint <= 0x605));
        };
    }

    /// Whether the character that begins at `index` is invisible, and not there to shape its
    /// neighbours: one selector of a variant after what it selects, a joiner between two characters
    /// of a script or an emoji that are joined.
    public static boolean isHidden(String text, int index) {
        int c = text.codePointAt(index);
        if (!isInvisible(c)) {
            return false;
        }
        int before = index == 0 ? 0 : text.codePointBefore(index);
        if (c >= 0xFE00 && c <= 0xFE0F) {
            return !hasVariants(before, c);
        }
        if (c == ZERO_WIDTH_JOINER || c == ZERO_WIDTH_NON_JOINER) {
            int next = index + 1;
            int after = next == text.length() ? 0 : text.codePointAt(next);
            boolean isAfterVariant =
                    before >= 0xFE00 && before <= 0xFE0F && !isHidden(text, index - 1);
            return !(isJoined(before) || isAfterVariant) || !isJoined(after);
        }
        return true;
    }

    /// Whether a selector after `before` may be there for its shape: the last two choose between
    /// text and emoji, the others belong to signs and scripts.
    private static boolean hasVariants(int before, int selector) {
        if (before < 0x80) {
            return selector >= 0xFE0E
                    && (before == '#' || before == '*' || (before >= '0' && before <= '9'));
        }
        boolean isEmojiOfLatin = (before == 0xA9 || before == 0xAE) && selector >= 0xFE0E;
        return isEmojiOfLatin || isJoined(before);
    }

    private static boolean isJoined(int codePoint) {
        return codePoint > LATIN_LAST && !isInvisible(codePoint) && !isSpace(codePoint);
    }

    private static boolean isSpace(int codePoint) {
        return Character.getType(codePoint) == Character.SPACE_SEPARATOR;
    }

    private static boolean isVariationSelector(int codePoint) {
        return (codePoint >= 0xFE00 && codePoint <= 0xFE0F)
                || (codePoint >= 0x180B && codePoint <= 0x180F);
    }
}
