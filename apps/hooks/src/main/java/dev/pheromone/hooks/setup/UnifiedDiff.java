package dev.pheromone.hooks.setup;

import java.util.ArrayList;
import java.util.List;

/// The difference of two texts, as `diff -u` shows it.
public final class UnifiedDiff {
    private static final int CONTEXT = 3;

    /// More lines than this are not compared one by one: the whole text is shown as replaced.
    private static final int LINES_MAX = 2_000;

    /// A line and what happened to it: ` `, `-` or `+`.
    private record Line(char sign, String text) {}

    private UnifiedDiff() {}

    /// The difference from `before` to `after` in the file `name`; nothing if there is none.
    public static String of(String name, String before, String after) {
        if (before.equals(after)) {
            return "";
        }
        List<Line> lines = compare(split(before), split(after));
        var out = new StringBuilder();
        out.append("--- ").append(before.isEmpty() ? "/dev/null" : name).append('\n');
        out.append("+++ ").append(after.isEmpty() ? "/dev/null" : name).append('\n');
        int at = 0;
        while (at < lines.size()) {
            int first = nextChange(lines, at);
            if (first == lines.size()) {
                break;
            }
            int last = first;
            for (int i = first; i < lines.size() && i <= last + 2 * CONTEXT; i++) {
                last = lines.get(i).sign() == ' ' ? last : i;
            }
            int start = Math.max(at, first - CONTEXT);
            int end = Math.min(lines.size(), last + CONTEXT + 1);
            hunk(lines, start, end, out);
            at = end;
        }
        return out.toString();
    }

    private static List<String> split(String text) {
        if (text.isEmpty()) {
            return List.of();
        }
        var lines = new ArrayList<>(List.of(text.split("\n", -1)));
        if (lines.getLast().isEmpty()) {
            lines.removeLast();
        } else {
            lines.set(lines.size() - 1, lines.getLast() + "\n\\ No newline at end of file");
        }
        return lines;
    }

    private static int nextChange(List<Line> lines, int from) {
        int at = from;
        while (at < lines.size() && lines.get(at).sign() == ' ') {
            at++;
        }
        return at;
    }

    private static void hunk(List<Line> lines, int start, int end, StringBuilder out) {
        out.append("@@ -").append(range(lines, start, end, '+'));
        out.append(" +").append(range(lines, start, end, '-')).append(" @@\n");
        for (Line line : lines.subList(start, end)) {
            out.append(line.sign()).append(line.text()).append('\n');
        }
    }

    /// Where the hunk begins and how long it is, without the lines of `other`.
    private static String range(List<Line> lines, int start, int end, char other) {
        long before = lines.subList(0, start).stream().filter(l -> l.sign() != other).count();
        long count = lines.subList(start, end).stream().filter(l -> l.sign() != other).count();
        return (count == 0 ? before : before + 1) + "," + count;
    }

    private static List<Line> compare(List<String> a, List<String> b) {
        var lines = new ArrayList<Line>();
        if (a.size() > LINES_MAX || b.size() > LINES_MAX) {
            a.forEach(line -> lines.add(new Line('-', line)));
            b.forEach(line -> lines.add(new Line('+', line)));
            return lines;
        }
        int[][] common = new int[a.size() + 1][b.size() + 1];
        for (int i = a.size() - 1; i >= 0; i--) {
            for (int j = b.size() - 1; j >= 0; j--) {
                common[i][j] =
                        a.get(i).equals(b.get(j))
                                ? common[i + 1][j + 1] + 1
                                : Math.max(common[i + 1][j], common[i][j + 1]);
            }
        }
        int i = 0;
        int j = 0;
        while (i < a.size() || j < b.size()) {
            if (i < a.size() && j < b.size() && a.get(i).equals(b.get(j))) {
                lines.add(new Line(' ', a.get(i++)));
                j++;
            } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
                lines.add(new Line('-', a.get(i++)));
            } else {
                lines.add(new Line('+', b.get(j++)));
            }
        }
        return lines;
    }
}
