package dev.pheromone.redaction;

import java.util.ArrayList;
import java.util.List;

/// The difference that marks make, as a unified diff.
///
/// Nothing has to be compared: where the text changed is known. The lines that one change touches
/// become one line, because a mark has no line end.
final class LineDiff {

    private static final int CONTEXT_LINES = 3;

    /// Lines of the text before, `first` to `last`, that become the one line `after`.
    private record Change(int first, int last, String after) {}

    private final String text;
    private final List<Integer> lineStarts = new ArrayList<>();
    private final StringBuilder diff = new StringBuilder();

    /// @param spans what is replaced, in order, without overlaps; each has a kind
    LineDiff(String text, List<Span> spans) {
        this.text = text;
        for (int at = 0; at < text.length(); at = lineEnd(at) + 1) {
            lineStarts.add(at);
        }
        List<Change> hunk = new ArrayList<>();
        int linesLost = 0;
        for (Change change : changes(spans)) {
            if (!hunk.isEmpty() && change.first - hunk.getLast().last > 2 * CONTEXT_LINES + 1) {
                linesLost += write(hunk, linesLost);
                hunk.clear();
            }
            hunk.add(change);
        }
        if (!hunk.isEmpty()) {
            write(hunk, linesLost);
        }
    }

    private List<Change> changes(List<Span> spans) {
        List<Change> changes = new ArrayList<>();
        int next = 0;
        int line = 0;
        while (next < spans.size()) {
            while (line + 1 < lineStarts.size()
                    && lineStarts.get(line + 1) <= spans.get(next).start()) {
                line++;
            }
            int first = line;
            int at = lineStarts.get(first);
            int end = lineEnd(at);
            StringBuilder after = new StringBuilder();
            while (next < spans.size() && spans.get(next).start() <= end) {
                Span span = spans.get(next++);
                after.append(text, at, span.start()).append(Mark.of(String.valueOf(span.kind())));
                at = span.end();
                // A span may end just behind a line end: then the next line is touched too.
                end = lineEnd(at);
            }
            after.append(text, at, end);
            while (line + 1 < lineStarts.size() && lineStarts.get(line + 1) <= at) {
                line++;
            }
            changes.add(new Change(first, line, after.toString()));
        }
        return changes;
    }

    /// Writes changes that are near each other, and returns how many lines fewer there are after
    /// them.
    private int write(List<Change> hunk, int linesLostBefore) {
        int first = Math.max(0, hunk.getFirst().first - CONTEXT_LINES);
        int last = Math.min(lineStarts.size() - 1, hunk.getLast().last + CONTEXT_LINES);
        int lost = 0;
        for (Change change : hunk) {
            lost += change.last - change.first;
        }
        int count = last - first + 1;
        diff.append(
                "@@ -%d,%d +%d,%d @@\n"
                        .formatted(first + 1, count, first + 1 - linesLostBefore, count - lost));
        int line = first;
        for (Change change : hunk) {
            line = writeLines(' ', line, change.first - 1);
            line = writeLines('-', line, change.last);
            diff.append('+').append(change.after).append('\n');
        }
        writeLines(' ', line, last);
        return lost;
    }

    private int writeLines(char sign, int first, int last) {
        for (int line = first; line <= last; line++) {
            int start = lineStarts.get(line);
            diff.append(sign).append(text, start, lineEnd(start)).append('\n');
        }
        return last + 1;
    }

    /// Where the line that `at` is in ends: at its line end, or at the end of the text.
    private int lineEnd(int at) {
        int end = text.indexOf('\n', at);
        return end < 0 ? text.length() : end;
    }

    @Override
    public String toString() {
        return diff.toString();
    }
}
