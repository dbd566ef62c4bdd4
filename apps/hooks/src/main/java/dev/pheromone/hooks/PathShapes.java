package dev.pheromone.hooks;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// Absolute paths as shapes, without `.` and `..`, and the shapes of lock patterns.
public final class PathShapes {
    private static final Shape BELOW = Shape.of("/").plus(Shape.of(new int[] {Shape.DEEP}));
    private static final Shape BELOW_VISIBLE =
            Shape.of("/").plus(Shape.of(new int[] {Shape.DEEP_VISIBLE}));
    private static final int VARIANTS_MAX = 64;

    /// Work is hardly ever done so many folders below the root of a repository, or of the disk.
    private static final int LEVELS_MAX = 20;

    private PathShapes() {}

    /// The forms of an absolute path: one, or more if a wildcard in it may mean the folder above.
    static Set<Shape> normal(Shape path) {
        var forms = new LinkedHashSet<Shape>();
        if (path.contains(Shape.ABOVE)) {
            above(path).forEach(one -> forms.addAll(normal(one)));
            return forms;
        }
        forms.add(join(path.split('/'), false));
        forms.add(join(path.split('/'), true));
        return forms;
    }

    /// The paths that one with [Shape#ABOVE] in it may mean. The folder before it may be a link, to
    /// one that lies deeper.
    static List<Shape> above(Shape path) {
        int at = path.indexOf(Shape.ABOVE, 0);
        var paths = new ArrayList<Shape>();
        Shape folder = path.part(0, Math.max(0, at)).plus(".");
        for (int level = 0; level < LEVELS_MAX; level++) {
            paths.add(folder.plus(path.from(at + 1)));
            folder = folder.plus("/..");
        }
        return paths;
    }

    private static Shape join(List<Shape> segments, boolean wildcardsLeadUp) {
        var kept = new ArrayList<Shape>();
        for (Shape segment : segments) {
            boolean dots = segment.is("..") || (wildcardsLeadUp && mayLeadUp(segment));
            if (dots) {
                if (!kept.isEmpty()) {
                    kept.removeLast();
                }
            } else if (!segment.isEmpty() && !segment.is(".")) {
                kept.add(segment);
            }
        }
        Shape joined = Shape.EMPTY;
        for (Shape segment : kept) {
            joined = joined.plus("/").plus(segment);
        }
        return joined.isEmpty() ? Shape.of("/") : joined;
    }

    /// `.*` matches `..`, too.
    private static boolean mayLeadUp(Shape segment) {
        return !segment.isPlain() && segment.at(0) == '.' && Overlap.of(segment, Shape.of(".."));
    }

    /// The shapes that a path of this extent covers.
    static List<Shape> covered(Shape path, Extent extent) {
        Shape top = path.is("/") ? Shape.EMPTY : path;
        return switch (extent) {
            case PATH, LISTED -> List.of(path);
            case TREE, NAMES -> List.of(path, top.plus(BELOW));
            case VISIBLE_TREE, VISIBLE_NAMES -> List.of(path, top.plus(BELOW_VISIBLE));
        };
    }

    /// The shapes of everything that `pattern` covers below `root`.
    static List<Shape> ofPattern(String root, String pattern) {
        return ofPattern(root, pattern, Extent.TREE);
    }

    /// The shapes of what `pattern` matches below `root`, and of this much around it.
    static List<Shape> ofPattern(String root, String pattern, Extent extent) {
        var shapes = new ArrayList<Shape>();
        for (String variant : variants(pattern, true)) {
            String trimmed = variant.replaceAll("^/+|/+$", "");
            Shape match = join(Shape.of(root + "/").plus(wild(trimmed)).split('/'), false);
            shapes.addAll(covered(match, extent));
        }
        return shapes;
    }

    /// The pattern with braces also taken apart, and with `folders` also without each `**/`.
    private static Set<String> variants(String pattern, boolean folders) {
        var open = new ArrayList<String>(List.of(pattern));
        var done = new LinkedHashSet<String>();
        while (!open.isEmpty() && done.size() < VARIANTS_MAX) {
            String next = open.removeFirst();
            if (!done.add(next)) {
                continue;
            }
            int deep = folders ? next.indexOf("**/") : -1;
            while (deep >= 0) {
                open.add(next.substring(0, deep) + next.substring(deep + 3));
                deep = next.indexOf("**/", deep + 1);
            }
            if (folders && next.endsWith("/**")) {
                open.add(next.substring(0, next.length() - 3));
            }
            open.addAll(choices(next));
        }
        if (!open.isEmpty()) {
            // Too many to list: then it may be anything.
            done.add("**");
        }
        return done;
    }

    /// The patterns that the first braces stand for, with those inside them left; none if there are
    /// no braces. After a backslash a sign is just that.
    private static List<String> choices(String pattern) {
        int brace = unescaped(pattern, '{', 0);
        if (brace < 0) {
            return List.of();
        }
        var parts = new ArrayList<String>();
        int depth = 0;
        int from = brace + 1;
        for (int at = from; at < pattern.length(); at++) {
            char c = pattern.charAt(at);
            if (c == '\\') {
                at++;
            } else if (c == '{') {
                depth++;
            } else if (c == '}' && depth > 0) {
                depth--;
            } else if (depth == 0 && (c == ',' || c == '}')) {
                parts.add(pattern.substring(from, at));
                from = at + 1;
                if (c == '}') {
                    String before = pattern.substring(0, brace);
                    String after = pattern.substring(from);
                    return parts.stream().map(part -> before + part + after).toList();
                }
            }
        }
        return List.of();
    }

    private static int unescaped(String pattern, char sign, int start) {
        for (int at = start; at < pattern.length(); at++) {
            if (pattern.charAt(at) == '\\') {
                at++;
            } else if (pattern.charAt(at) == sign) {
                return at;
            }
        }
        return -1;
    }

    /// The patterns that one with braces stands for.
    public static List<String> withoutBraces(String pattern) {
        return variants(pattern, false).stream().filter(one -> choices(one).isEmpty()).toList();
    }

    /// Unlike a shell's, a lock's wildcards match hidden names.
    private static Shape wild(String pattern) {
        return Shape.of(pattern.replaceAll("\\\\(.)", "$1")).withWildcards().withHidden();
    }
}
