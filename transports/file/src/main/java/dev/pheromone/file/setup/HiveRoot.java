package dev.pheromone.file.setup;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.GitTree;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.disk.RegularFile;
import dev.pheromone.disk.Stat;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Finds the hive that a folder belongs to.
///
/// That is the nearest one above it, as git finds a repository. All work trees of one repository
/// share one hive, the main work tree's: agents that work side by side in linked trees are to read
/// the same mail. A linked tree has a copy of the hive's versioned files, so that "nearest" alone
/// would find an empty second hive there.
public final class HiveRoot {

    private final Disk disk;
    private final LinkedHive linkedHive;

    private HiveRoot(Disk disk) {
        this.disk = disk;
        this.linkedHive = new LinkedHive(disk);
    }

    /// The hive that whoever works in `start` uses.
    public static HiveLayout find(Path start) throws NoHiveException, IOException {
        Disk disk = new LocalDisk();
        return new HiveRoot(disk).search(disk.realPath(start));
    }

    /// The hive in `root` itself, whatever is above it: where somebody named a hive. In a linked
    /// work tree, naming it does not make a second hive of it either.
    public static HiveLayout at(Path root) throws NoHiveException, IOException {
        Disk disk = new LocalDisk();
        try {
            return new HiveRoot(disk).named(disk.realPath(root));
        } catch (NoSuchFileException e) {
            throw new NoHiveException(
                            "no hive in %s: there is no such folder".formatted(root),
                            "name a folder that has a hive, or make one with:")
                    .withCommand("rsm init " + ShellWord.of(root));
        }
    }

    /// The hives with a say over `path`, which need not exist: those around the folder that holds
    /// the name, and those around where it leads, nearest first. A hive within another one takes
    /// nothing from the locks of the outer one. None if it lies in no hive; fails if that can't be
    /// told.
    public static List<HiveLayout> around(Path path) throws NoHiveException, IOException {
        HiveRoot finder = new HiveRoot(new LocalDisk());
        List<HiveLayout> hives = new ArrayList<>();
        finder.addHivesOf(path, hives);
        Path folder = path.getParent();
        if (folder != null) {
            finder.addHivesOf(folder, hives);
        }
        return hives;
    }

    /// The hive of whoever works in `folder`, if that itself holds one. Nothing in it but that name
    /// is looked at.
    public static Optional<HiveLayout> in(Path folder) throws NoHiveException, IOException {
        Disk disk = new LocalDisk();
        HiveRoot finder = new HiveRoot(disk);
        return finder.holdsHive(folder)
                ? Optional.of(finder.search(disk.realPath(folder)))
                : Optional.empty();
    }

    /// The folders in which the locks of the hive at `layout` hold: its root, and what stands for
    /// it in the linked work trees of its repository.
    public static List<Path> workTrees(HiveLayout layout) throws IOException {
        List<Path> roots = new ArrayList<>();
        roots.add(layout.root());
        for (HiveLayout copy : LinkedHive.copiesOf(layout, new LocalDisk())) {
            roots.add(copy.root());
        }
        return roots;
    }

    private void addHivesOf(Path path, List<HiveLayout> hives) throws NoHiveException, IOException {
        Path start = existingFolder(path);
        addHiveOf(start, hives);
        for (Path at = start; at != null; at = at.getParent()) {
            Path above = at.getParent();
            if (above != null && holdsHive(at)) {
                addHiveOf(above, hives);
            }
        }
    }

    private void addHiveOf(Path folder, List<HiveLayout> hives)
            throws NoHiveException, IOException {
        try {
            HiveLayout found = search(folder);
            for (HiveLayout known : hives) {
                if (known.root().equals(found.root())) {
                    return;
                }
            }
            hives.add(found);
        } catch (NoHiveException e) {
            if (!e.isCertain()) {
                throw e;
            }
        }
    }

    /// Where `path` leads if that is a folder, else the nearest folder above that.
    private Path existingFolder(Path path) throws IOException {
        for (Path at = path; at != null; at = at.getParent()) {
            try {
                Path real = disk.realPath(at);
                Optional<Stat> stat = disk.stat(real);
                Path parent = real.getParent();
                boolean isFolder = stat.isPresent() && stat.get().isFolder();
                return isFolder || parent == null ? real : parent;
            } catch (FileSystemException e) {
                // To be made, by whoever asks; below a file nothing can be.
                if (!(e instanceof NoSuchFileException) && !RegularFile.isAbove(disk, at)) {
                    throw e;
                }
            }
        }
        return path;
    }

    // Every command comes through here first, so trees are told apart with instanceof: the first
    // pattern switch of a process costs more than the rest of the search.

    private HiveLayout search(Path start) throws NoHiveException, IOException {
        @Nullable Path hive = null;
        boolean met = false;
        GitTree.@Nullable OfBare bare = null;
        for (Path folder = start; folder != null; folder = folder.getParent()) {
            if (hive == null && holdsHive(folder)) {
                hive = folder;
                met = true;
            }
            GitTree tree = GitTree.at(folder, disk);
            if (tree instanceof GitTree.None) {
                continue;
            }
            if (hive != null && (tree instanceof GitTree.Main || linkedHive.isSeparate(hive))) {
                return new HiveLayout(hive);
            }
            if (tree instanceof GitTree.Linked linked) {
                if (hive != null) {
                    return shared(linked, hive);
                }
                Optional<HiveLayout> theirs = nearest(linked.counterpartOf(start));
                if (theirs.isPresent()) {
                    return theirs.get();
                }
            } else if (tree instanceof GitTree.OfBare ofBare) {
                // All trees of a bare repository may lie in one folder, and share the hive there.
                hive = null;
                bare = ofBare;
            } else if (tree instanceof GitTree.Lost lost) {
                throw linkedHive.lost(lost);
            }
        }
        if (hive != null) {
            return new HiveLayout(hive);
        }
        if (bare != null) {
            NoHiveException none = linkedHive.none(bare);
            throw met ? none : none.forCertain();
        }
        throw new NoHiveException(
                        "no hive in %s or any folder above it".formatted(start), "make one with:")
                .withCommand("rsm init")
                .forCertain();
    }

    private HiveLayout named(Path root) throws NoHiveException, IOException {
        boolean holds = holdsHive(root);
        GitTree tree = GitTree.around(root, disk);
        boolean ordinary = tree instanceof GitTree.None || tree instanceof GitTree.Main;
        if (holds && (ordinary || linkedHive.isSeparate(root))) {
            return new HiveLayout(root);
        }
        if (tree instanceof GitTree.Linked linked) {
            return shared(linked, root);
        } else if (tree instanceof GitTree.OfBare bare) {
            throw linkedHive.none(bare);
        } else if (tree instanceof GitTree.Lost lost) {
            throw linkedHive.lost(lost);
        }
        Optional<Stat> there = disk.stat(root);
        if (there.isPresent() && !there.get().isFolder()) {
            throw new NoHiveException(
                    "no hive in %s: found %s, expected a folder"
                            .formatted(root, there.get().kind()),
                    "name a folder that has a hive");
        }
        throw new NoHiveException(
                        "no hive in %s: it holds no %s".formatted(root, HiveLayout.HIVE_FOLDER),
                        "make one with:")
                .withCommand("rsm init " + ShellWord.of(root));
    }

    /// The hive in the folder of the main tree that stands where `folder` does in the linked one.
    private HiveLayout shared(GitTree.Linked tree, Path folder)
            throws NoHiveException, IOException {
        Path counterpart = tree.counterpartOf(folder);
        if (!holdsHive(counterpart)) {
            throw linkedHive.none(tree, folder);
        }
        return new HiveLayout(disk.realPath(counterpart));
    }

    private Optional<HiveLayout> nearest(Path start) throws NoHiveException, IOException {
        for (Path folder = start; folder != null; folder = folder.getParent()) {
            if (holdsHive(folder)) {
                return Optional.of(new HiveLayout(disk.realPath(folder)));
            }
        }
        return Optional.empty();
    }

    /// Fails on a name that is taken by something else: to look further up would silently find
    /// another hive.
    private boolean holdsHive(Path folder) throws NoHiveException, IOException {
        Path hive = new HiveLayout(folder).hive();
        Optional<Stat> stat = disk.stat(hive);
        if (stat.isPresent() && !stat.get().isFolder()) {
            throw new NoHiveException(
                    "%s: found %s, expected a folder".formatted(hive, stat.get().kind()),
                    "move it away, or name a hive with --root");
        }
        return stat.isPresent();
    }
}
