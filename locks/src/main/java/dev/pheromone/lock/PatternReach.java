package dev.pheromone.lock;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.disk.Stat;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.guard.WithheldException;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A look at what a lock's pattern covers now, for a hint to whoever types one. Bounded, and behind
/// the locks.
public final class PatternReach {

    /// What a pattern covers now.
    public enum Found {
        SOMETHING,
        NOTHING,
        /// There was too much to look at.
        UNKNOWN
    }

    private static final int NAMES_MAX = 5_000;

    /// What git keeps is large, and nobody's secret is meant to be found there.
    private static final String GIT_FOLDER = ".git";

    private final Disk files;
    private final PathForms forms;
    private final LockPattern pattern;
    private int left = NAMES_MAX;

    private PatternReach(Disk files, PathForms forms, LockPattern pattern) {
        this.files = files;
        this.forms = forms;
        this.pattern = pattern;
    }

    /// Whether `pattern` covers anything below the hive root.
    public static Found of(HiveLayout layout, PolicyGuard guard, String pattern) {
        Disk disk = new LocalDisk();
        PathForms forms = new PathForms(disk, layout);
        PatternReach reach =
                new PatternReach(
                        new GuardedFiles(disk, guard),
                        forms,
                        LockPattern.parse(forms.normal(pattern)));
        try {
            boolean found = reach.isIn(layout.root(), List.of());
            return found ? Found.SOMETHING : reach.left < 0 ? Found.UNKNOWN : Found.NOTHING;
        } catch (IOException e) {
            return Found.UNKNOWN;
        }
    }

    private boolean isIn(Path folder, List<String> form) throws IOException {
        for (Path child : childrenOf(folder)) {
            if (--left < 0) {
                return false;
            }
            String name = String.valueOf(child.getFileName());
            List<String> below = new ArrayList<>(form);
            below.add(forms.normal(name));
            if (pattern.covers(below)) {
                return true;
            }
            boolean worthIt = pattern.mayCoverBelow(below) && !name.equals(GIT_FOLDER);
            if (worthIt && isFolder(child) && isIn(child, below)) {
                return true;
            }
        }
        return false;
    }

    private boolean isFolder(Path path) throws IOException {
        try {
            Optional<Stat> stat = files.stat(path);
            return stat.isPresent() && stat.get().isFolder();
        } catch (WithheldException e) {
            return false;
        }
    }

    private List<Path> childrenOf(Path folder) throws IOException {
        try {
            return files.list(folder);
        } catch (WithheldException e) {
            return List.of();
        }
    }
}
