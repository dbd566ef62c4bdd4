package dev.pheromone.redaction;

import dev.pheromone.text.InvisibleChars;

import java.util.List;

/// A text in which every hidden stretch is one character, with the way back to the places in it.
///
/// A text and the same text with marks in it have the same view: what is found in one is found in
/// the other.
final class View {

    /// Stands for what is hidden; U+FFFC, which Unicode has for objects that are no text.
    static final char HIDDEN = '\uFFFC';

    /// Which characters a view shows.
    enum Sight {
        ALL,
        /// Without those that nobody sees: a secret with one inside is still a secret.
        VISIBLE,
        /// As VISIBLE, and as a browser or a parser would read it: `%3D`, `&quot;` and what is
        /// written with a backslash are one character each, and letters that look like those of
        /// ASCII are those.
        DECODED
    }

    private final int[] origins;
    private final String text;
    private final Sight sight;

    /// @param hidden in order, without overlaps
    View(String original, List<Span> hidden, Sight sight) {
        this.sight = sight;
        StringBuilder view = new StringBuilder(original.length());
        this.origins = new int[original.length() + 1];
        int at = 0;
        for (Span span : hidden) {
            copy(original, at, span.start(), view);
            origins[view.length()] = span.start();
            view.append(HIDDEN);
            at = span.end();
        }
        copy(original, at, original.length(), view);
        origins[view.length()] = original.length();
        this.text = view.toString();
    }

    private void copy(String original, int start, int end, StringBuilder view) {
        for (int i = start; i < end; i++) {
            if (sight != Sight.ALL && isInvisible(original, i)) {
                continue;
            }
            Encoded.Reading read = sight == Sight.DECODED ? Encoded.at(original, i, end) : null;
            origins[view.length()] = i;
            view.append(read == null ? original.charAt(i) : read.value());
            i += read == null ? 0 : read.length() - 1;
        }
    }

    /// Whether `text` looks different in this sight.
    static boolean isOther(String text, Sight sight) {
        for (int i = 0; i < text.length(); i++) {
            boolean isOther =
                    switch (sight) {
                        case ALL -> false;
                        case VISIBLE -> isInvisible(text, i);
                        case DECODED -> Encoded.at(text, i, text.length()) != null;
                    };
            if (isOther) {
                return true;
            }
        }
        return false;
    }

    /// Whether the character at `index`, or the one that it is half of, is seen by nobody: marks of
    /// direction, joiners, spaces without a width, selectors of variants.
    private static boolean isInvisible(String text, int index) {
        char c = text.charAt(index);
        if (c < 0x80) {
            // NUL and its like, with which a text in UTF-16 is full.
            return c < ' ' && c != '\t' && c != '\n' && c != '\r';
        }
        boolean isSecondHalf =
                Character.isLowSurrogate(c)
                        && index > 0
                        && Character.isHighSurrogate(text.charAt(index - 1));
        int character = text.codePointAt(isSecondHalf ? index - 1 : index);
        return InvisibleChars.isInvisible(character);
    }

    String text() {
        return text;
    }

    /// Where the character at `index` begins in the original; that is also where the one before it
    /// ends.
    int origin(int index) {
        return origins[index];
    }
}
