package dev.pheromone.redaction;

import java.util.List;

/// A text in which every hidden stretch is one character, with the way back to the places in it.
///
/// A text and the same text with marks in it have the same view: what is found in one is found in
/// the other.
final class View {

    /// Stands for what is hidden; U+FFFC, which Unicode has for objects that are no text.
    static final char HIDDEN = '\uFFFC';

    private final int[] origins;
    private final String text;

    /// @param hidden in order, without overlaps
    View(String original, List<Span> hidden) {
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
            origins[view.length()] = i;
            view.append(original.charAt(i));
        }
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
