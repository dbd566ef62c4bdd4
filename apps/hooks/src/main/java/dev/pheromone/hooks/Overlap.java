package dev.pheromone.hooks;

import java.text.Normalizer;

/// Whether some text fits two shapes at once. Upper and lower case count as equal, and so do
/// composed and decomposed letters: a file system may see it that way.
final class Overlap {
    private final int[] a;
    private final int[] b;

    /// Pairs of places already found not to lead anywhere.
    private final boolean[] hopeless;

    private Overlap(int[] a, int[] b) {
        this.a = a;
        this.b = b;
        this.hopeless = new boolean[(a.length + 1) * (b.length + 1)];
    }

    static boolean of(Shape a, Shape b) {
        var overlap = new Overlap(folded(a), folded(b));
        return overlap.search();
    }

    /// Depth first over pairs of places, without recursion: texts may be long.
    private boolean search() {
        var open = new int[(a.length + 1) * (b.length + 1) * 2 + 2];
        int top = 0;
        open[top++] = 0;
        hopeless[0] = true;
        while (top > 0) {
            int pair = open[--top];
            int i = pair / (b.length + 1);
            int j = pair % (b.length + 1);
            if (i == a.length && j == b.length) {
                return true;
            }
            if (i < a.length && matchesNothing(a[i], j < b.length ? b[j] : 0)) {
                top = open(open, top, i + 1, j);
            }
            if (j < b.length && matchesNothing(b[j], i < a.length ? a[i] : 0)) {
                top = open(open, top, i, j + 1);
            }
            if (i < a.length && j < b.length) {
                if (many(a[i]) && mayTake(a[i], b, j)) {
                    top = open(open, top, i, j + 1);
                }
                if (many(b[j]) && mayTake(b[j], a, i)) {
                    top = open(open, top, i + 1, j);
                }
                if (!many(a[i]) && !many(b[j]) && single(a[i], b[j])) {
                    top = open(open, top, i + 1, j + 1);
                }
            }
        }
        return false;
    }

    private int open(int[] open, int top, int i, int j) {
        int pair = i * (b.length + 1) + j;
        if (hopeless[pair]) {
            return top;
        }
        hopeless[pair] = true;
        open[top] = pair;
        return top + 1;
    }

    private static boolean many(int atom) {
        return atom <= Shape.STAR && atom != Shape.NOT_DOT;
    }

    private static boolean matchesNothing(int atom, int other) {
        return atom == Shape.NOT_DOT ? other != '.' : many(atom);
    }

    /// Whether a wildcard may swallow the other side's atom.
    private static boolean mayTake(int wildcard, int[] other, int at) {
        int atom = other[at];
        return switch (wildcard) {
            case Shape.STAR -> atom != '/';
            case Shape.DEEP_VISIBLE -> atom != '.' || (at > 0 && other[at - 1] != '/');
            default -> true;
        };
    }

    private static boolean single(int a, int b) {
        if (a == Shape.NOT_DOT || b == Shape.NOT_DOT) {
            return false;
        }
        if (a == Shape.ONE || b == Shape.ONE) {
            return a != '/' && b != '/';
        }
        return a == b;
    }

    private static int[] folded(Shape shape) {
        var text = new StringBuilder();
        var out = new java.util.ArrayList<Integer>();
        for (int i = 0; i <= shape.length(); i++) {
            boolean wild = i == shape.length() || shape.at(i) < 0;
            if (wild) {
                Normalizer.normalize(text, Normalizer.Form.NFC)
                        .codePoints()
                        .map(c -> Character.toLowerCase(Character.toUpperCase(c)))
                        .forEach(out::add);
                text.setLength(0);
                if (i < shape.length()) {
                    out.add(shape.at(i));
                }
            } else {
                text.appendCodePoint(shape.at(i));
            }
        }
        return out.stream().mapToInt(Integer::intValue).toArray();
    }
}
