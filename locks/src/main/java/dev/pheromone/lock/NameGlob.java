package dev.pheromone.lock;

import java.util.ArrayList;
import java.util.List;

/// A glob within one name of a path: `*`, `?`, `[abc]`, `[!a-z]`, and `\` before a character that
/// stands for itself.
final class NameGlob {

    /// The parts between two braces, and where the text goes on.
    record Braces(List<String> parts, int end) {}

    private NameGlob() {}

    /// Fails if `glob` can't be read.
    static void check(String glob) {
        for (int at = 0; at < glob.length(); at = end(glob, at)) {
            if (glob.charAt(at) == '[' && classEnd(glob, at) < 0) {
                throw new IllegalArgumentException(
                        "path_pattern: found [ without its ] in \"" + glob + "\"");
            }
            if (glob.charAt(at) == '\\' && at + 1 == glob.length()) {
                throw new IllegalArgumentException(
                        "path_pattern: found \\ at the end of \"" + glob + "\"");
            }
        }
    }

    static boolean matches(String glob, String name) {
        int at = 0;
        int in = 0;
        int star = -1;
        int starIn = 0;
        while (in < name.length()) {
            if (at < glob.length() && glob.charAt(at) == '*') {
                star = at++;
                starIn = in;
            } else if (at < glob.length() && isOne(glob, at, name.codePointAt(in))) {
                at = end(glob, at);
                in += Character.charCount(name.codePointAt(in));
            } else if (star >= 0) {
                // The last star takes one more; an earlier one never needs to.
                starIn += Character.charCount(name.codePointAt(starIn));
                in = starIn;
                at = star + 1;
            } else {
                return false;
            }
        }
        while (at < glob.length() && glob.charAt(at) == '*') {
            at++;
        }
        return at == glob.length();
    }

    /// Whether there could be a name that both globs match.
    static boolean meet(String one, String other) {
        boolean[][] live = new boolean[one.length() + 1][other.length() + 1];
        live[0][0] = true;
        // Each step leads to a greater place in one of the two, so that one pass sees them all.
        for (int at = 0; at <= one.length(); at++) {
            for (int in = 0; in <= other.length(); in++) {
                if (live[at][in]) {
                    step(one, at, other, in, live);
                }
            }
        }
        return live[one.length()][other.length()];
    }

    private static void step(String one, int at, String other, int in, boolean[][] live) {
        boolean isMore = at < one.length();
        boolean isOtherMore = in < other.length();
        boolean isStar = isMore && one.charAt(at) == '*';
        boolean isOtherStar = isOtherMore && other.charAt(in) == '*';
        if (isStar) {
            live[at + 1][in] = true;
        }
        if (isOtherStar) {
            live[at][in + 1] = true;
        }
        if (isStar && isOtherMore && !isOtherStar) {
            live[at][end(other, in)] = true;
        } else if (isOtherStar && isMore && !isStar) {
            live[end(one, at)][in] = true;
        } else if (isMore && isOtherMore && !isStar && !isOtherStar) {
            if (isOneForBoth(one, at, other, in)) {
                live[end(one, at)][end(other, in)] = true;
            }
        }
    }

    /// Whether there is a character that the elements at these places both match.
    private static boolean isOneForBoth(String one, int at, String other, int in) {
        for (int character : characters(one, at)) {
            if (isOne(other, in, character) && isOne(one, at, character)) {
                return true;
            }
        }
        for (int character : characters(other, in)) {
            if (isOne(one, at, character) && isOne(other, in, character)) {
                return true;
            }
        }
        return false;
    }

    /// Characters of which one is in whatever this element and another have in common, or in what
    /// the other has: where a class begins, and what comes after its ranges.
    private static List<Integer> characters(String glob, int at) {
        return switch (glob.charAt(at)) {
            case '?' -> List.of((int) 'x');
            case '[' -> edges(glob, at);
            case '\\' -> List.of(glob.codePointAt(at + 1));
            default -> List.of(glob.codePointAt(at));
        };
    }

    private static List<Integer> edges(String glob, int open) {
        List<Integer> edges = new ArrayList<>();
        int close = classEnd(glob, open) - 1;
        for (int at = open + 1; at < close; at += Character.charCount(glob.codePointAt(at))) {
            edges.add(glob.codePointAt(at));
            edges.add(glob.codePointAt(at) + 1);
        }
        return edges;
    }

    /// Whether the element of the glob at `at` matches this one character.
    private static boolean isOne(String glob, int at, int character) {
        return switch (glob.charAt(at)) {
            case '?' -> true;
            case '[' -> isInClass(glob, at, character);
            case '\\' -> glob.codePointAt(at + 1) == character;
            default -> glob.codePointAt(at) == character;
        };
    }

    private static boolean isInClass(String glob, int open, int character) {
        int close = classEnd(glob, open) - 1;
        int at = open + 1;
        boolean negated = glob.charAt(at) == '!' || glob.charAt(at) == '^';
        if (negated) {
            at++;
        }
        boolean found = false;
        while (at < close) {
            int from = glob.codePointAt(at);
            at += Character.charCount(from);
            int to = from;
            if (at + 1 < close && glob.charAt(at) == '-') {
                to = glob.codePointAt(at + 1);
                at += 1 + Character.charCount(to);
            }
            found |= from <= character && character <= to;
        }
        return found != negated;
    }

    /// Where the element at `at` ends.
    private static int end(String glob, int at) {
        return switch (glob.charAt(at)) {
            case '\\' ->
                    at + 1 < glob.length()
                            ? at + 1 + Character.charCount(glob.codePointAt(at + 1))
                            : at + 1;
            case '[' -> Math.max(classEnd(glob, at), at + 1);
            default -> at + Character.charCount(glob.codePointAt(at));
        };
    }

    /// Behind the `]` of the class that opens at `open`, which may have one as its first member; -1
    /// if there is none.
    private static int classEnd(String glob, int open) {
        int at = open + 1;
        if (at < glob.length() && (glob.charAt(at) == '!' || glob.charAt(at) == '^')) {
            at++;
        }
        int close = glob.indexOf(']', at + 1);
        return close < 0 ? -1 : close + 1;
    }

    /// Where the first `{` stands that is neither escaped nor in a class; -1 if nowhere.
    static int indexOfBrace(String text) {
        for (int at = 0; at < text.length(); at = end(text, at)) {
            if (text.charAt(at) == '{') {
                return at;
            }
        }
        return -1;
    }

    /// The parts of the braces that open at `open`; they may have braces inside.
    static Braces braces(String text, int open) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int from = open + 1;
        for (int at = open + 1; at < text.length(); at = end(text, at)) {
            char character = text.charAt(at);
            if (character == '{') {
                depth++;
            } else if (depth > 0) {
                depth -= character == '}' ? 1 : 0;
            } else if (character == ',' || character == '}') {
                parts.add(text.substring(from, at));
                from = at + 1;
                if (character == '}') {
                    return new Braces(List.copyOf(parts), at + 1);
                }
            }
        }
        throw new IllegalArgumentException(
                "path_pattern: found { without its } in \"" + text + "\"");
    }
}
