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

    private static final String ANY_DEPTH = "**";

    private final String text;

    /// Each alternative as the names between its slashes.
    private final List<List<String>> alternatives;

    private LockPattern(String text, List<List<String>> alternatives) {
        this.text = text;
        this.alternatives = alternatives;
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
        return new LockPattern(text, List.copyOf(alternatives));
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
    boolean mayCoverBelow(List<String> path) {
        for (List<String> pattern : alternatives) {
            if (advance(pattern, path, false)) {
                return true;
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
