package dev.pheromone.file.setup;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Stat;
import dev.pheromone.disk.Tags;
import dev.pheromone.disk.Trouble;
import dev.pheromone.file.setup.Finding.Severity;
import dev.pheromone.guard.WithheldException;

import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// Tries out on real files what a hive needs of a disk, and cleans up after itself.
public final class VolumeProbe {

    /// Begins the names of what a probe makes; one that was killed may leave some.
    public static final String PREFIX = ".probe-";

    private static final int TAG_LENGTH = 8;
    private static final byte[] CONTENT = "probe\n".getBytes(StandardCharsets.US_ASCII);
    private static final String FIX = "make the hive on another disk";

    private final Disk disk;
    private final List<Finding> findings = new ArrayList<>();

    /// Where the disk of a hive is tried out: not in `.deia` itself, nor in a folder of lock lists.
    /// A name that comes or goes there tells the reaper that a lock may have been lifted.
    public static Path place(Disk disk, HiveLayout layout) {
        return disk.exists(layout.inboxes()) ? layout.inboxes() : layout.hive();
    }

    /// What probes left that were killed, in any folder where one makes something. What is fresh
    /// may be in use by a probe that runs now: whoever reports or removes leftovers passes over it.
    public static List<Path> leftovers(Disk disk, HiveLayout layout) throws IOException {
        List<Path> found = new ArrayList<>();
        for (Path folder :
                List.of(
                        layout.hive(),
                        layout.inboxes(),
                        layout.hive().resolve("active"),
                        layout.archives(),
                        layout.hive().resolve("seen"),
                        layout.embargo())) {
            for (Path entry : disk.list(folder)) {
                if (String.valueOf(entry.getFileName()).startsWith(PREFIX)) {
                    found.add(entry);
                }
            }
        }
        return found;
    }

    /// Removes what a probe left: a file, or a folder of files.
    public static void remove(Disk disk, Path leftover) throws IOException {
        for (Path file : disk.list(leftover)) {
            disk.remove(file);
        }
        disk.remove(leftover);
    }

    private VolumeProbe(Disk disk) {
        this.disk = disk;
    }

    /// Tries files, hard links, renames, locks and forced writes in `folder`. Finds nothing if all
    /// of it works.
    public static List<Finding> tryOut(Disk disk, Path folder) {
        VolumeProbe probe = new VolumeProbe(disk);
        probe.tryAllIn(folder);
        return List.copyOf(probe.findings);
    }

    /// Tries whether mail can move between `folders`; those that do not exist are left out.
    public static List<Finding> tryMoves(Disk disk, HiveLayout layout, List<Path> folders) {
        VolumeProbe probe = new VolumeProbe(disk);
        probe.tryMovesBetween(layout, folders.stream().filter(disk::exists).toList());
        return List.copyOf(probe.findings);
    }

    private void tryAllIn(Path parent) {
        Path folder = parent.resolve(newName());
        Path file = folder.resolve("file");
        attempt(
                "writing into " + parent,
                "possible",
                "let this user write there",
                () -> {
                    disk.createFolder(folder);
                    disk.create(file, CONTENT);
                    return Arrays.equals(disk.read(file, CONTENT.length), CONTENT);
                });
        if (findings.isEmpty()) {
            Path link = folder.resolve("link");
            Path renamed = folder.resolve("renamed");
            attempt("hard links", "possible", FIX, () -> canLink(file, link));
            attempt("a link to a taken name", "refused", FIX, () -> isRefused(file, link));
            attempt("an atomic rename", "possible", FIX, () -> canRename(file, renamed));
            attempt("file locks", "held by one at a time", FIX, () -> canLock(renamed, link));
            attempt("forcing a folder to the disk", "possible", FIX, () -> canSync(folder));
        }
        clear(folder);
    }

    private boolean canLink(Path file, Path link) throws IOException {
        disk.link(file, link);
        Optional<Stat> one = disk.stat(file);
        Optional<Stat> other = disk.stat(link);
        // Where link counts are shown, what a hive concludes from them must be true.
        return one.isPresent()
                && other.isPresent()
                && (one.get().links() == 1 || one.get().isSameFileAs(other.get()))
                && Arrays.equals(disk.read(link, CONTENT.length), CONTENT);
    }

    private boolean isRefused(Path file, Path link) throws IOException {
        try {
            disk.link(file, link);
            return false;
        } catch (FileAlreadyExistsException e) {
            return true;
        }
    }

    private boolean canRename(Path file, Path renamed) throws IOException {
        disk.rename(file, renamed);
        return !disk.exists(file) && disk.exists(renamed);
    }

    /// Only what one process can see: whether another machine would see the lock, none can try.
    private boolean canLock(Path file, Path link) throws IOException {
        // By another name of the same file, if there is one: it is the file that is locked.
        Path other = disk.exists(link) ? link : file;
        try (Closeable held = disk.tryLock(file).orElse(null)) {
            if (held == null || disk.tryLock(other).isPresent()) {
                return false;
            }
        }
        try (Closeable again = disk.tryLock(file).orElse(null)) {
            return again != null;
        }
    }

    private boolean canSync(Path folder) throws IOException {
        disk.sync(folder);
        return true;
    }

    /// Links instead of comparing device numbers: two mounts of one device have one number, and
    /// still nothing can move between them.
    private void tryMovesBetween(HiveLayout layout, List<Path> folders) {
        String name = newName();
        List<Path> made = new ArrayList<>();
        for (Path folder : folders) {
            Path file = folder.resolve(name);
            attempt(
                    layout.nameOf(folder),
                    "possible to write there",
                    "make room, or let this user write there",
                    () -> {
                        disk.create(file, CONTENT);
                        return made.add(file);
                    });
            if (made.size() < 2 || !made.getLast().equals(file)) {
                continue;
            }
            Path linked = folder.resolve(newName());
            attempt(
                    layout.nameOf(folder),
                    "on one volume with " + layout.nameOf(folders.getFirst()),
                    "move both to one volume",
                    () -> {
                        disk.link(made.getFirst(), linked);
                        disk.remove(linked);
                        return true;
                    });
        }
        for (Path file : made) {
            attempt("cleaning up " + file, "possible", "remove it", () -> isRemoved(file));
        }
    }

    private void clear(Path folder) {
        attempt(
                "cleaning up " + folder,
                "possible",
                "remove it",
                () -> {
                    for (Path file : disk.list(folder)) {
                        disk.remove(file);
                    }
                    return !disk.exists(folder) || isRemoved(folder);
                });
    }

    private boolean isRemoved(Path path) throws IOException {
        disk.remove(path);
        return true;
    }

    private static String newName() {
        return PREFIX + Tags.random(TAG_LENGTH);
    }

    private interface Attempt {
        boolean succeeds() throws IOException;
    }

    private void attempt(String thing, String expected, String fix, Attempt attempt) {
        try {
            if (!attempt.succeeds()) {
                findings.add(new Finding(Severity.ERROR, thing, "it did not work", expected, fix));
            }
        } catch (WithheldException e) {
            findings.add(
                    new Finding(
                            Severity.WARNING,
                            thing,
                            "not tried: " + e.getMessage(),
                            expected,
                            null));
        } catch (IOException e) {
            findings.add(new Finding(Severity.ERROR, thing, Trouble.of(e), expected, fix));
        }
    }
}
