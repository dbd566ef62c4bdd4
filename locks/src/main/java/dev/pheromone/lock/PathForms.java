package dev.pheromone.lock;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.GitTree;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Mounts;
import dev.pheromone.disk.RegularFile;
import dev.pheromone.disk.Stat;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// Under which names, below the hive root, a path is known to the locks: as it was given, where it
/// really leads, what it stands for in the main work tree, and what a bind mount shows there.
public final class PathForms {

    /// What stands in a text for bytes that are none.
    private static final char UNREADABLE = '\uFFFD';

    private final Disk disk;
    private final Path root;
    private final Mounts mounts;
    private @Nullable Boolean folds;

    public PathForms(Disk disk, HiveLayout layout) {
        this.disk = disk;
        this.root = layout.root();
        this.mounts = new Mounts(disk);
    }

    Path root() {
        return root;
    }

    /// The form of `path` as it was given, if that lies below the root. No file is looked at.
    Set<List<String>> asGiven(Path path) {
        Set<List<String>> forms = new LinkedHashSet<>();
        add(path.toAbsolutePath().normalize(), forms);
        return forms;
    }

    /// Every form of `path` that lies below the root, each as its names; the root itself has none.
    /// Fails if one can't be found out.
    public Set<List<String>> of(Path path) throws IOException {
        Path absolute = path.toAbsolutePath();
        Set<Path> places = new LinkedHashSet<>();
        places.add(absolute.normalize());
        places.add(real(absolute));
        Path parent = absolute.getParent();
        Path name = absolute.getFileName();
        if (parent != null && name != null && !name.toString().equals("..")) {
            // The name itself, where it is a link that leads elsewhere.
            places.add(real(parent).resolve(name));
        }
        Set<List<String>> forms = new LinkedHashSet<>();
        for (Path place : places) {
            add(place, forms);
            if (!place.startsWith(root.resolve(HiveLayout.HIVE_FOLDER))
                    && !place.startsWith(root.resolve(HiveLayout.MIRROR_FOLDER))) {
                counterpart(place).ifPresent(other -> add(other, forms));
                mounts.counterpart(place, root).ifPresent(other -> add(other, forms));
            }
        }
        return forms;
    }

    private void add(Path place, Set<List<String>> forms) {
        if (place.startsWith(root)) {
            List<String> names = new ArrayList<>();
            for (Path name : root.relativize(place)) {
                if (!name.toString().isEmpty()) {
                    names.add(normal(name.toString()));
                }
            }
            forms.add(List.copyOf(names));
        }
    }

    /// What `path` is in the main work tree, if it lies in a linked one.
    private Optional<Path> counterpart(Path path) throws IOException {
        return GitTree.around(path, disk) instanceof GitTree.Linked linked
                ? Optional.of(linked.counterpartOf(path))
                : Optional.empty();
    }

    /// The path without symbolic links, as far as it exists.
    private Path real(Path path) throws IOException {
        List<Path> missing = new ArrayList<>();
        for (Path at = path; at != null; at = at.getParent()) {
            try {
                Path real = disk.realPath(at);
                for (Path name : missing.reversed()) {
                    real = real.resolve(name);
                }
                return real.normalize();
            } catch (FileSystemException e) {
                if (!(e instanceof NoSuchFileException) && !RegularFile.isAbove(disk, at)) {
                    throw e;
                }
                Path name = at.getFileName();
                if (name != null) {
                    missing.add(name);
                }
            }
        }
        return path.normalize();
    }

    /// How a name is written to be compared: what looks alike to the file system is alike.
    public String normal(String name) {
        String composed = Normalizer.normalize(name, Normalizer.Form.NFC);
        return folds() ? composed.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT) : composed;
    }

    /// Whether a name can be compared at all.
    static boolean isReadable(List<String> names) {
        return names.stream().noneMatch(name -> name.indexOf(UNREADABLE) >= 0);
    }

    /// Whether the file system takes upper and lower case for the same.
    private boolean folds() {
        Boolean known = folds;
        if (known == null) {
            known = isSame(HiveLayout.HIVE_FOLDER, HiveLayout.HIVE_FOLDER.toUpperCase(Locale.ROOT));
            folds = known;
        }
        return known;
    }

    private boolean isSame(String one, String other) {
        try {
            Optional<Stat> stat = disk.stat(root.resolve(one));
            return stat.isPresent()
                    && disk.stat(root.resolve(other)).filter(stat.get()::isSameFileAs).isPresent();
        } catch (IOException e) {
            // To take them for the same forbids more, never less.
            return true;
        }
    }
}
