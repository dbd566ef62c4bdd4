package dev.pheromone.lock;

import java.util.ArrayList;
import java.util.List;

/// The paths that one entry of a lock list covers, as a glob: `*` and `?` within a name, `[a-z]`,
/// `{one,two}`, and `**` for any number of folders. What matches a folder covers all that is in it.
///
/// Matching takes time in proportion to pattern times path, whatever is in either.
public final class LockPattern {

    static final int LENGTH_MAX = 1024;

    /// How many patterns one with braces may stand for.
    private static final int ALTERNATIVES_MAX = 256;

    /// How many pairs of patterns are held against each other.
    private static final int PAIRS_MAX = 4_096;

    private static final String ANY_DEPTH = "**";

    private final String text;

    /// Each alternative as the names between its slashes.
    private final List<List<String>> alternatives;

    private final boolean isOfFiles;

    private LockPattern(String text, List<List<String>> alternatives, boolean isOfFiles) {
        this.text = text;
        this.alternatives = alternatives;
        this.isOfFiles = isOfFiles;
    }

    /// Parses a pattern; names are compared as [PathForms] writes them.
    public static LockPattern parse(String text) {
        if (text.isBlank()) {
            throw new IllegalArgumentException("path_pattern: found nothing, expected a path");
        }
        if (text.length() > LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "path_pattern: found %d characters, expected at most %d"
                            .formatted(text.length(), LENGTH_MAX));
        }
        List<String> expanded = new ArrayList<>();
        expand("", text, expanded);
        List<List<String>> alternatives = new ArrayList<>();
        for (String one : expanded) {
            alternatives.add(names(one, text));
            String deeper = acrossFolders(one);
            if (!deeper.equals(one)) {
                alternatives.add(names(deeper, text));
            }
        }
        return new LockPattern(text, List.copyOf(alternatives), false);
    }

    @Override
    public String toString() {
        return text;
    }

    /// Whether it covers `path`, or a folder that holds it.
    public boolean covers(List<String> path) {
        for (List<String> pattern : alternatives) {
            if (advance(pattern, path, true)) {
                return true;
            }
        }
        return false;
    }

    /// Whether it could cover something inside the folder `path`, which itself it does not.
    public boolean mayCoverBelow(List<String> path) {
        for (List<String> pattern : alternatives) {
            if (advance(pattern, path, false)) {
                return true;
            }
        }
        return false;
    }

    /// This pattern as one of files: nothing lies below what it matches. Only [#overlaps] makes a
    /// difference of it.
    public LockPattern ofFiles() {
        return new LockPattern(text, alternatives, true);
    }

    /// Whether there could be a path that both cover, be there a file of that name or not. Patterns
    /// that stand for too many others together count as overlapping.
    public boolean overlaps(LockPattern other) {
        if (alternatives.size() * other.alternatives.size() > PAIRS_MAX) {
            return true;
        }
        for (List<String> pattern : alternatives) {
            for (List<String> otherPattern : other.alternatives) {
                if (meet(pattern, !isOfFiles, otherPattern, !other.isOfFiles)) {
                    return true;
                }
            }
        }
        return false;
    }

    /// Follows two patterns at once. A pattern that ends first, and covers what is below, covers
    /// whatever the other goes on with.
    private static boolean meet(
            List<String> one, boolean isAllBelow, List<String> other, boolean isAllBelowOther) {
        boolean[][] live = new boolean[one.size() + 1][other.size() + 1];
        live[0][0] = true;
        // Each step leads to a greater place in one of the two, so that one pass sees them all.
        for (int at = 0; at <= one.size(); at++) {
            for (int in = 0; in <= other.size(); in++) {
                boolean isEnd = at == one.size();
                boolean isOtherEnd = in == other.size();
                if (!live[at][in]) {
                    continue;
                }
                if ((isEnd && (isOtherEnd || isAllBelow)) || (isOtherEnd && isAllBelowOther)) {
                    return true;
                }
                boolean isDeep = !isEnd && one.get(at).equals(ANY_DEPTH);
                boolean isOtherDeep = !isOtherEnd && other.get(in).equals(ANY_DEPTH);
                // A deep part takes a name of the other pattern, or ends.
                if (isDeep || (isOtherDeep && !isEnd)) {
                    live[at + 1][in] = true;
                }
                if (isOtherDeep || (isDeep && !isOtherEnd)) {
                    live[at][in + 1] = true;
                }
                if (!isDeep
                        && !isOtherDeep
                        && !isEnd
                        && !isOtherEnd
                        && NameGlob.meet(one.get(at), other.get(in))) {
                    live[at + 1][in + 1] = true;
                }
            }
        }
        return false;
    }

    /// Follows all readings of `pattern` along `path` at once. With `whole`, whether one of them
    /// ends with the path or before; else whether one goes on after it.
    private static boolean advance(List<String> pattern, List<String> path, boolean whole) {
        boolean[] live = new boolean[pattern.size() + 1];
        live[0] = true;
        skipDepths(pattern, live);
        for (String name : path) {
            if (whole && live[pattern.size()]) {
                return true;
            }
            boolean[] next = new boolean[live.length];
            for (int at = 0; at < pattern.size(); at++) {
                if (live[at]) {
                    String part = pattern.get(at);
                    if (part.equals(ANY_DEPTH)) {
                        next[at] = true;
                    } else if (NameGlob.matches(part, name)) {
                        next[at + 1] = true;
                    }
                }
            }
            skipDepths(pattern, next);
            live = next;
        }
        if (whole) {
            return live[pattern.size()];
        }
        for (int at = 0; at < pattern.size(); at++) {
            if (live[at]) {
                return true;
            }
        }
        return false;
    }

    /// `**` may also stand for no folder at all.
    private static void skipDepths(List<String> pattern, boolean[] live) {
        for (int at = 0; at < pattern.size(); at++) {
            if (live[at] && pattern.get(at).equals(ANY_DEPTH)) {
                live[at + 1] = true;
            }
        }
    }

    private static List<String> names(String pattern, String text) {
        refuseMistaken(pattern, text);
        List<String> names = new ArrayList<>();
        for (String name : pattern.split("/", -1)) {
            if (name.equals("..")) {
                if (names.isEmpty()) {
                    throw new IllegalArgumentException(
                            "path_pattern: found \"%s\", expected a path inside the hive root"
                                    .formatted(text));
                }
                names.removeLast();
            } else if (!name.isEmpty() && !name.equals(".")) {
                boolean deep = name.equals(ANY_DEPTH);
                if (!deep) {
                    NameGlob.check(name);
                }
                if (!(deep && !names.isEmpty() && names.getLast().equals(ANY_DEPTH))) {
                    names.add(name);
                }
            }
        }
        // The root itself, however it is written: everything.
        return names.isEmpty() ? List.of(ANY_DEPTH) : List.copyOf(names);
    }

    /// Fails on what people mean by other rules than these: read by ours it would cover nothing,
    /// and nobody would know.
    private static void refuseMistaken(String pattern, String text) {
        if (pattern.startsWith("!")) {
            throw new IllegalArgumentException(
                    "path_pattern: found \"%s\", expected no ! before it: a lock takes nothing out"
                                    .formatted(text)
                            + " of another; \\! stands for a name that begins with it");
        }
        if (pattern.startsWith("/")
                || pattern.startsWith("~/")
                || pattern.matches("[A-Za-z]:[/\\\\].*")) {
            throw new IllegalArgumentException(
                    "path_pattern: found \"%s\", expected a path relative to the hive root"
                            .formatted(text));
        }
    }

    /// Reads `a**b` as some people mean it, across folders; it also covers what it says to others.
    private static String acrossFolders(String pattern) {
        List<String> names = new ArrayList<>();
        for (String name : pattern.split("/", -1)) {
            names.add(name.equals(ANY_DEPTH) ? name : name.replaceAll("\\*\\*+", "*/**/*"));
        }
        return String.join("/", names);
    }

    /// Replaces the first `{one,two}` by each of its parts, and so on.
    private static void expand(String before, String rest, List<String> into) {
        int open = NameGlob.indexOfBrace(rest);
        if (open < 0) {
            if (into.size() == ALTERNATIVES_MAX) {
                throw new IllegalArgumentException(
                        "path_pattern: found braces for more than %d patterns, expected fewer"
                                .formatted(ALTERNATIVES_MAX));
            }
            into.add(before + rest);
            return;
        }
        NameGlob.Braces braces = NameGlob.braces(rest, open);
        for (String part : braces.parts()) {
            expand(before + rest.substring(0, open), part + rest.substring(braces.end()), into);
        }
    }
}
