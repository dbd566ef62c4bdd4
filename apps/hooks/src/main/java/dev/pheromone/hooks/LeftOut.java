package dev.pheromone.hooks;

import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Pattern;

/// Folders that a program which goes through folders is told not to enter: by their names, wherever
/// they are, and by their absolute paths.
record LeftOut(Set<String> names, Set<String> paths) {
    static final LeftOut NOTHING = new LeftOut(Set.of(), Set.of());

    private static final Pattern PLAIN_NAME = Pattern.compile("[\\w.@+-]+");

    LeftOut {
        names = Set.copyOf(names);
        paths = Set.copyOf(paths);
    }

    /// Whether this is a name without any wildcard.
    static boolean isName(String text) {
        return PLAIN_NAME.matcher(text).matches();
    }

    /// What of the area can be reached by who begins at `place`, and enters none of these.
    LockedArea reachable(LockedArea area, Shape place) {
        if (equals(NOTHING)) {
            return area;
        }
        Path start = Path.of(AreaReach.plainPart(place) + "/");
        return new LockedArea(
                area.lock(),
                area.forbids(),
                area.roots().stream()
                        .filter(root -> !covers(area.lock().path(), root, start))
                        .toList());
    }

    private boolean covers(String pattern, Path root, Path start) {
        Path folder = root;
        for (String name : pattern.split("/", -1)) {
            if (!isName(name)) {
                return false;
            }
            folder = folder.resolve(name).normalize();
            boolean left = names.contains(name) || paths.contains(AreaReach.slashes(folder));
            // Where it begins, it goes in.
            if (left && !start.startsWith(folder)) {
                return true;
            }
        }
        return false;
    }
}
