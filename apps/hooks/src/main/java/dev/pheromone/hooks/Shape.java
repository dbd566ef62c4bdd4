package dev.pheromone.hooks;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// What is known of a text before a shell makes it: plain characters, wildcards, and gaps of which
/// nothing is known. Immutable.
final class Shape {
    /// Any one character but `/`.
    static final int ONE = -1;

    /// Any characters but `/`, also none.
    static final int STAR = -2;

    /// Any characters at all, also none.
    static final int DEEP = -3;

    /// Any characters at all, but no name that begins with a dot.
    static final int DEEP_VISIBLE = -4;

    /// Nothing, and what follows does not begin with a dot: a shell's `*` skips hidden names.
    static final int NOT_DOT = -5;

    /// Nothing is known, not even that it is one word.
    static final int GAP = -6;

    /// As a name in a path: the folder before it, or one of those above; which, is not known.
    static final int ABOVE = -7;

    /// As [#GAP]: what a variable has that was set before the command, and not by it.
    static final int GIVEN = -8;

    static final Shape EMPTY = new Shape(new int[0]);
    static final Shape UNKNOWN = new Shape(new int[] {GAP});
    static final Shape GIVEN_VALUE = new Shape(new int[] {GIVEN});

    /// A number, or another short text without a slash.
    static final Shape ANY_NAME = new Shape(new int[] {STAR});

    private final int[] atoms;

    private Shape(int[] atoms) {
        this.atoms = atoms;
    }

    static Shape of(String text) {
        return new Shape(text.codePoints().toArray());
    }

    static Shape of(int[] atoms) {
        return new Shape(atoms.clone());
    }

    int length() {
        return atoms.length;
    }

    int at(int index) {
        return atoms[index];
    }

    boolean isEmpty() {
        return atoms.length == 0;
    }

    /// Whether every character is known.
    boolean isPlain() {
        return Arrays.stream(atoms).allMatch(atom -> atom >= 0);
    }

    /// Whether every character is known, but perhaps not how far above it leads.
    boolean isPlace() {
        return Arrays.stream(atoms).allMatch(atom -> atom >= 0 || atom == ABOVE);
    }

    boolean hasGap() {
        return Arrays.stream(atoms).anyMatch(Shape::isGap);
    }

    static boolean isGap(int atom) {
        return atom == GAP || atom == GIVEN;
    }

    boolean contains(int atom) {
        return indexOf(atom, 0) >= 0;
    }

    int indexOf(int atom, int from) {
        for (int i = from; i < atoms.length; i++) {
            if (atoms[i] == atom) {
                return i;
            }
        }
        return -1;
    }

    boolean startsWith(String text) {
        return startsWith(of(text));
    }

    boolean startsWith(Shape start) {
        int length = start.length();
        return length <= atoms.length && Arrays.equals(atoms, 0, length, start.atoms, 0, length);
    }

    /// Whether not even the first character is known.
    boolean startsWithGap() {
        return atoms.length > 0 && isGap(atoms[0]);
    }

    boolean is(String text) {
        return Arrays.equals(atoms, text.codePoints().toArray());
    }

    Shape from(int start) {
        return new Shape(Arrays.copyOfRange(atoms, Math.min(start, atoms.length), atoms.length));
    }

    Shape part(int start, int end) {
        return new Shape(Arrays.copyOfRange(atoms, start, end));
    }

    Shape plus(Shape other) {
        int[] joined = Arrays.copyOf(atoms, atoms.length + other.atoms.length);
        System.arraycopy(other.atoms, 0, joined, atoms.length, other.atoms.length);
        return new Shape(joined);
    }

    Shape plus(String text) {
        return plus(of(text));
    }

    /// This text with each `mark` in it replaced.
    Shape replace(String mark, Shape value) {
        int[] sought = mark.codePoints().toArray();
        Shape out = EMPTY;
        int copied = 0;
        for (int i = 0; sought.length > 0 && i + sought.length <= atoms.length; i++) {
            if (Arrays.equals(atoms, i, i + sought.length, sought, 0, sought.length)) {
                out = out.plus(part(copied, i)).plus(value);
                copied = i + sought.length;
                i = copied - 1;
            }
        }
        return out.plus(from(copied));
    }

    /// The parts between the separators, empty ones too.
    List<Shape> split(int separator) {
        var parts = new ArrayList<Shape>();
        int start = 0;
        for (int i = 0; i <= atoms.length; i++) {
            if (i == atoms.length || atoms[i] == separator) {
                parts.add(part(start, i));
                start = i + 1;
            }
        }
        return parts;
    }

    /// The text after the last slash.
    Shape name() {
        List<Shape> parts = split('/');
        return parts.getLast();
    }

    /// This text with `*`, `?` and `[` as the wildcards that a shell sees in them outside quotes.
    Shape withWildcards() {
        var out = new int[atoms.length * 2];
        int length = 0;
        for (int i = 0; i < atoms.length; i++) {
            int atom = atoms[i];
            boolean first = i == 0 || atoms[i - 1] == '/';
            int wildcard = 0;
            if (atom == '*') {
                boolean twice = i + 1 < atoms.length && atoms[i + 1] == '*';
                wildcard = twice ? DEEP : STAR;
                i += twice ? 1 : 0;
            } else if (atom == '?') {
                wildcard = ONE;
            } else if (atom == '[') {
                int close = endOfSet(i);
                int slash = indexOf('/', i);
                if (close > 0 && (slash < 0 || slash > close)) {
                    // More than the one character: without a match the shell takes it literally.
                    wildcard = STAR;
                    i = close;
                }
            }
            if (wildcard == 0) {
                out[length++] = atom;
                continue;
            }
            if (first) {
                out[length++] = NOT_DOT;
            }
            out[length++] = wildcard;
        }
        return new Shape(Arrays.copyOf(out, length));
    }

    /// Where the set of letters that begins at `open` ends; classes such as `[:lower:]` in it have
    /// brackets of their own. Negative if it does not.
    private int endOfSet(int open) {
        int at = open + 1;
        while (at < atoms.length) {
            boolean isClass =
                    atoms[at] == '['
                            && at + 1 < atoms.length
                            && (atoms[at + 1] == ':'
                                    || atoms[at + 1] == '.'
                                    || atoms[at + 1] == '=');
            if (isClass) {
                int close = indexOf(']', at + 2);
                at = close < 0 ? atoms.length : close;
            } else if (atoms[at] == ']' && at > open + 1) {
                return at;
            }
            at++;
        }
        return -1;
    }

    /// This text with wildcards that match hidden names as well.
    Shape withHidden() {
        return new Shape(Arrays.stream(atoms).filter(atom -> atom != NOT_DOT).toArray());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Shape shape && Arrays.equals(atoms, shape.atoms);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(atoms);
    }

    /// For people: wildcards as a shell writes them, gaps as dots.
    @Override
    public String toString() {
        var text = new StringBuilder();
        for (int atom : atoms) {
            switch (atom) {
                case ONE -> text.append('?');
                case STAR -> text.append('*');
                case DEEP, DEEP_VISIBLE -> text.append("**");
                case NOT_DOT -> {}
                case GAP, GIVEN, ABOVE -> text.append('…');
                default -> text.appendCodePoint(atom);
            }
        }
        return text.toString();
    }
}
