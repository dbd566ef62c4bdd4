package dev.pheromone.lock;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.Stat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The search for a file's other names among those that a pattern covers: a hard link has no path
/// that would tell.
///
/// Bounded; where there is more to look at than that, the file may well be one of them.
final class LinkedNames {

    private static final int NAMES_MAX = 10_000;

    private final Disk disk;
    private final PathForms forms;
    private final LockPattern pattern;
    private final Stat file;
    private int left = NAMES_MAX;

    LinkedNames(Disk disk, PathForms forms, LockPattern pattern, Stat file) {
        this.disk = disk;
        this.forms = forms;
        this.pattern = pattern;
        this.file = file;
    }

    /// Whether some name below `root` is the file's and is covered, or nobody can tell.
    boolean mayBeIn(Path root) {
        try {
            return isIn(root, List.of(), false);
        } catch (IOException e) {
            return true;
        }
    }

    private boolean isIn(Path folder, List<String> form, boolean isCovered) throws IOException {
        for (Path child : disk.list(folder)) {
            if (--left < 0) {
                return true;
            }
            List<String> names = new ArrayList<>(form);
            names.add(forms.normal(String.valueOf(child.getFileName())));
            boolean covers = isCovered || pattern.covers(names);
            if (!covers && !pattern.mayCoverBelow(names)) {
                continue;
            }
            Optional<Stat> stat = disk.stat(child);
            if (stat.isEmpty()) {
                continue;
            }
            if (stat.get().isFolder()
                    ? isIn(child, names, covers)
                    : covers && stat.get().isSameFileAs(file)) {
                return true;
            }
        }
        return false;
    }
}
