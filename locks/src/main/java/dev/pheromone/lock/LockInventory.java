package dev.pheromone.lock;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.FileHash;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Stat;
import dev.pheromone.envelope.ContentHash;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// The files that a lock covers, as they are: taken when it is set, and held against another one
/// when it is lifted.
///
/// Bounded, because somebody waits for it: what is beyond the bounds is not known.
///
/// @param files by their paths
/// @param hidden what other locks, or the disk, did not let us look at
/// @param isWhole whether nothing was left out for being too much
public record LockInventory(Map<String, LockedFile> files, Set<String> hidden, boolean isWhole) {

    private static final int NAMES_MAX = 20_000;
    private static final long NANOS_MAX = Duration.ofSeconds(1).toNanos();
    private static final long FILE_BYTES_MAX = 8L * 1024 * 1024;
    private static final long ALL_BYTES_MAX = 64L * 1024 * 1024;

    public LockInventory {
        files = Map.copyOf(files);
        hidden = Set.copyOf(hidden);
    }

    /// Whether nobody could look at `path`.
    boolean hides(String path) {
        for (String top : hidden) {
            if (top.isEmpty() || path.equals(top) || path.startsWith(top + "/")) {
                return true;
            }
        }
        return false;
    }

    /// The content of one file; null if it is none that we read.
    static @Nullable ContentHash hash(Disk files, Path path) {
        try {
            Optional<Stat> stat = files.stat(path);
            return stat.isPresent() && stat.get().isFile() && stat.get().size() <= FILE_BYTES_MAX
                    ? FileHash.of(files, path)
                    : null;
        } catch (IOException e) {
            return null;
        }
    }

    /// The search for what one lock covers.
    static final class Taking {

        private final Disk disk;
        private final HiveLayout layout;
        private final PathForms forms;
        private final LockScope scope;
        private final LockPattern pattern;
        private final Map<String, LockedFile> files = new TreeMap<>();
        private final Set<String> hidden = new HashSet<>();
        private final long endNanos = System.nanoTime() + NANOS_MAX;
        private int namesLeft = NAMES_MAX;
        private long bytesLeft = ALL_BYTES_MAX;

        /// @param disk behind all locks but the one that it is about
        Taking(Disk disk, HiveLayout layout, LockScope scope) {
            this.disk = disk;
            this.layout = layout;
            this.forms = new PathForms(disk, layout);
            this.scope = scope;
            this.pattern = LockPattern.parse(forms.normal(scope.pattern()));
        }

        LockInventory take() {
            boolean whole = walk(layout.root(), List.of(), false);
            return new LockInventory(files, hidden, whole);
        }

        /// False if there was too much.
        private boolean walk(Path folder, List<String> form, boolean isCovered) {
            List<Path> children;
            try {
                children = disk.list(folder);
            } catch (IOException e) {
                hidden.add(layout.nameOf(folder));
                return true;
            }
            for (Path child : children) {
                if (--namesLeft < 0 || System.nanoTime() > endNanos) {
                    return false;
                }
                List<String> names = new ArrayList<>(form);
                names.add(forms.normal(String.valueOf(child.getFileName())));
                boolean covers = isCovered || pattern.covers(names);
                if (!scope.leavesOut(names)
                        && (covers || pattern.mayCoverBelow(names))
                        && !look(child, names, covers)) {
                    return false;
                }
            }
            return true;
        }

        private boolean look(Path child, List<String> names, boolean covers) {
            String name = layout.nameOf(child);
            try {
                Stat stat = disk.stat(child).orElse(null);
                if (stat == null) {
                    return true;
                }
                if (stat.isFolder()) {
                    return walk(child, names, covers);
                }
                if (covers) {
                    files.put(name, LockedFile.of(name, stat, hash(child, stat)));
                }
            } catch (IOException e) {
                hidden.add(name);
            }
            return true;
        }

        private @Nullable ContentHash hash(Path file, Stat stat) throws IOException {
            if (!scope.isReadable()
                    || !stat.isFile()
                    || stat.size() > Math.min(FILE_BYTES_MAX, bytesLeft)) {
                return null;
            }
            bytesLeft -= stat.size();
            return FileHash.of(disk, file);
        }
    }
}
