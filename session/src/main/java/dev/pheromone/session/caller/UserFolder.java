package dev.pheromone.session.caller;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// The user's folder of keys, approvals and rules, outside of any repository: no repository can
/// bring its own.
///
/// The only class of this module that opens files past a hive's guard. Every read has a limit.
public final class UserFolder {

    /// A key is a few hundred bytes; whatever is larger is no key.
    private static final int SECRET_BYTES_MAX = 16 * 1024;

    private static final Set<PosixFilePermission> OWNER_ONLY =
            EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    private final Path path;

    public UserFolder(Path path) {
        this.path = path;
    }

    public Path path() {
        return path;
    }

    /// The regular files in the folder `name` of this one, by name; none if there is no such
    /// folder.
    List<Path> list(String name) throws IOException {
        List<Path> files = new ArrayList<>();
        Path folder = path.resolve(name);
        if (Files.isDirectory(folder)) {
            try (Stream<Path> entries = Files.list(folder)) {
                entries.filter(Files::isRegularFile).sorted().forEach(files::add);
            }
        }
        return files;
    }

    /// The text of the file `name`; empty if there is none.
    public Optional<String> text(String name, int bytesMax) throws IOException {
        Path file = path.resolve(name);
        if (Files.isDirectory(file)) {
            throw new ProblemException(
                    ProblemException.Code.BAD_FILE, file + " is a folder, expected a file");
        }
        try (InputStream in = Files.newInputStream(file)) {
            return Optional.of(
                    new String(limited(in, bytesMax, file.toString()), StandardCharsets.UTF_8));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /// The bytes of a file that nobody else may read; any other is refused, whatever is in it.
    public static byte[] readSecret(Path file) throws IOException {
        refuseIfOpenToOthers(file);
        try (InputStream in = Files.newInputStream(file)) {
            return limited(in, SECRET_BYTES_MAX, file.toString());
        }
    }

    /// Whether there is a folder at `path`.
    public static boolean isFolder(Path path) {
        return Files.isDirectory(path);
    }

    /// Where a path really leads, with links resolved as far as it exists.
    public static Path real(Path path) {
        for (Path at = path; at != null; at = at.getParent()) {
            try {
                return at.toRealPath().resolve(at.relativize(path)).normalize();
            } catch (IOException e) {
                // What is not there leads nowhere else.
            }
        }
        return path;
    }

    /// Writes a new file that nobody else may read, on disk when this returns. Never replaces one.
    public static void writeSecret(Path file, byte[] content) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null) {
            throw new ProblemException(
                    ProblemException.Code.BAD_FILE, file + " is not a place for a file");
        }
        Set<StandardOpenOption> asNew =
                EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        if (isPosix(file)) {
            Files.createDirectories(
                    folder,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
            try (FileChannel channel =
                    FileChannel.open(
                            file, asNew, PosixFilePermissions.asFileAttribute(OWNER_ONLY))) {
                writeAll(channel, content);
            }
            try (FileChannel names = FileChannel.open(folder, StandardOpenOption.READ)) {
                names.force(true);
            }
        } else {
            Files.createDirectories(folder);
            try (FileChannel channel = FileChannel.open(file, asNew)) {
                writeAll(channel, content);
            }
        }
    }

    /// Removes a file, and says whether it was there: of several who remove one, one is told so.
    static boolean remove(Path file) throws IOException {
        return Files.deleteIfExists(file);
    }

    /// When a file was written, or last [#touch]ed.
    static Instant touched(Path file) throws IOException {
        return Files.getLastModifiedTime(file).toInstant();
    }

    static void touch(Path file, Instant now) throws IOException {
        Path _ = Files.setLastModifiedTime(file, FileTime.from(now));
    }

    private static void refuseIfOpenToOthers(Path file) throws IOException {
        if (!isPosix(file)) {
            return;
        }
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
        if (!OWNER_ONLY.containsAll(permissions)) {
            throw new ProblemException(
                            ProblemException.Code.BAD_FILE,
                            file
                                    + " holds a secret and has mode "
                                    + PosixFilePermissions.toString(permissions)
                                    + ", expected rw-------")
                    .hint("if others could read it, make a new key; else:")
                    .remedy(
                            new ProblemException.Remedy.Command(
                                    List.of("chmod", "600", file.toString())));
        }
    }

    private static boolean isPosix(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    private static byte[] limited(InputStream in, int bytesMax, String name) throws IOException {
        byte[] bytes = in.readNBytes(bytesMax + 1);
        if (bytes.length > bytesMax) {
            throw new ProblemException(
                    ProblemException.Code.BAD_FILE,
                    name + " is larger than " + bytesMax + " bytes");
        }
        return bytes;
    }

    private static void writeAll(FileChannel channel, byte[] content) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(content);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
        channel.force(true);
    }
}
