package dev.pheromone.redaction;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// A text before and after marks took the place of what must not become public.
public final class Redaction {

    private final String before;
    private final String after;
    private final List<Span> spans;
    private final List<Finding> findings;

    /// @param hidden what is hidden in `before`, in order, without overlaps
    Redaction(String before, List<Span> hidden) {
        this.before = before;
        StringBuilder text = new StringBuilder(before.length());
        List<Span> changed = new ArrayList<>();
        List<Finding> found = new ArrayList<>();
        Position position = new Position(before);
        int at = 0;
        for (Span span : hidden) {
            String kind = span.kind();
            if (kind != null) {
                text.append(before, at, span.start()).append(Mark.of(kind));
                at = span.end();
                changed.add(span);
                found.add(position.finding(kind, span.start()));
            }
        }
        this.after = text.append(before, at, before.length()).toString();
        this.spans = List.copyOf(changed);
        this.findings = List.copyOf(found);
    }

    /// The text as it was: with everything that was found in it.
    public String before() {
        return before;
    }

    /// The text with marks.
    public String after() {
        return after;
    }

    /// What was found, in the order of the text.
    public List<Finding> findings() {
        return findings;
    }

    /// How often each kind was found, by kind.
    public Map<String, Integer> counts() {
        return counts(findings);
    }

    static Map<String, Integer> counts(List<Finding> findings) {
        Map<String, Integer> counts = new TreeMap<>();
        findings.forEach(finding -> counts.merge(finding.kind(), 1, Integer::sum));
        return counts;
    }

    public boolean isClean() {
        return findings.isEmpty();
    }

    /// The change as a unified diff without file names; empty if there is none. It shows what was
    /// taken out: it is for the eyes of whoever has the text.
    public String diff() {
        return new LineDiff(before, spans).toString();
    }

    /// How often each kind was found; never what.
    @Override
    public String toString() {
        return "redaction " + counts();
    }

    /// Walks through a text once and counts its lines.
    private static final class Position {

        private final String text;
        private int line = 1;
        private int lineStart;
        private int at;

        Position(String text) {
            this.text = text;
        }

        Finding finding(String kind, int offset) {
            for (; at < offset; at++) {
                if (text.charAt(at) == '\n') {
                    line++;
                    lineStart = at + 1;
                }
            }
            return new Finding(kind, line, text.codePointCount(lineStart, offset) + 1);
        }
    }
}
