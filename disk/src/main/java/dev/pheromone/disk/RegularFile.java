package dev.pheromone.disk;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/// Reads small files that others may have put there: never follows a link, never waits for a pipe.
public final class RegularFile {

    private RegularFile() {}

    /// Whether a file stands where `path` needs a folder, so that nothing can be there.
    public static boolean isAbove(Disk disk, Path path) throws IOException {
        for (Path at = path.getParent(); at != null; at = at.getParent()) {
            try {
                return disk.stat(disk.realPath(at)).filter(Stat::isFile).isPresent();
            } catch (FileSystemException e) {
                // The nearest name that can be followed tells.
            }
        }
        return false;
    }

    /// The whole file; empty if there is none. Fails on anything else of that name, and on more
    /// than `bytesMax`.
    public static Optional<byte[]> read(Disk disk, Path file, int bytesMax) throws IOException {
        Optional<Stat> stat = disk.stat(file);
        if (stat.isEmpty()) {
            return Optional.empty();
        }
        if (!stat.get().isFile()) {
            throw new FileSystemException(
                    file.toString(),
                    null,
                    "found %s, expected a file".formatted(stat.get().kind()));
        }
        if (stat.get().size() > bytesMax) {
            throw new FileSystemException(
                    file.toString(),
                    null,
                    "found %d bytes, expected at most %d".formatted(stat.get().size(), bytesMax));
        }
        try {
            return Optional.of(disk.read(file, bytesMax));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }
}
