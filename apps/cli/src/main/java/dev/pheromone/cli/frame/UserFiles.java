package dev.pheromone.cli.frame;

import dev.pheromone.envelope.ContentHash;
import dev.pheromone.session.caller.UserFolder;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/// The files of the user, as opposed to the hive's: texts named on the command line, and the folder
/// of secrets.
///
/// The only class of the command line that opens files. Every read has a limit.
public final class UserFiles {

    private static final String TOO_LARGE = " is larger than ";

    private final Surroundings surroundings;

    public UserFiles(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    /// The process's standard streams, as they are: `System.out` would hide a failed write.
    public static InputStream standardInput() {
        return new FileInputStream(FileDescriptor.in);
    }

    public static OutputStream standardOutput() {
        return new FileOutputStream(FileDescriptor.out);
    }

    public static OutputStream standardError() {
        return new FileOutputStream(FileDescriptor.err);
    }

    /// The path that was typed, from the current folder.
    public Path resolve(String typed) {
        return asTyped(typed).normalize();
    }

    /// The path that was typed, from the current folder, with every `..` in it: where those lead
    /// depends on links, and is for the guard to find out.
    public Path asTyped(String typed) {
        try {
            return surroundings.cwd().resolve(typed);
        } catch (InvalidPathException e) {
            throw new CliException(
                    ErrorCode.BAD_FILE, "path \"" + typed + "\": " + e.getReason(), e);
        }
    }

    /// The bytes of standard input, at most `bytesMax`.
    public byte[] readInput(int bytesMax) throws IOException {
        return limited(surroundings.in(), bytesMax, "standard input");
    }

    /// The bytes of the file that was typed, at most `bytesMax`; `-` is standard input. A pipe is
    /// waited for.
    public byte[] read(String typed, int bytesMax) throws IOException {
        if (typed.equals("-")) {
            return readInput(bytesMax);
        }
        Path file = asTyped(typed);
        if (Files.isDirectory(file)) {
            throw new CliException(ErrorCode.BAD_FILE, typed + " is a folder, expected a file");
        }
        try (InputStream in = Files.newInputStream(file)) {
            return limited(in, bytesMax, typed);
        } catch (NoSuchFileException e) {
            throw new CliException(ErrorCode.BAD_FILE, typed + ": no such file", e);
        }
    }

    /// The last bytes of a regular file, at most `bytesMax`.
    byte[] readEnd(Path file, int bytesMax) throws IOException {
        if (!Files.isRegularFile(file)) {
            // A pipe would keep us waiting.
            throw new CliException(ErrorCode.BAD_FILE, file + " is not a file");
        }
        try (SeekableByteChannel in = Files.newByteChannel(file)) {
            long from = Math.max(0, in.size() - bytesMax);
            ByteBuffer bytes = ByteBuffer.allocate((int) (in.size() - from));
            in.position(from);
            while (bytes.hasRemaining() && in.read(bytes) >= 0) {
                // Until there is nothing left to read.
            }
            return Arrays.copyOf(bytes.array(), bytes.position());
        }
    }

    /// The user's folder for our keys and approvals: `$XDG_CONFIG_HOME/pheromone`, else
    /// `~/.config/pheromone`.
    public Path configFolder() {
        String xdg = surroundings.variable("XDG_CONFIG_HOME");
        // A relative one is to be ignored, says its specification: it would mean another folder in
        // each.
        Path base =
                xdg != null && Path.of(xdg).isAbsolute()
                        ? Path.of(xdg)
                        : surroundings.home().resolve(".config");
        return base.resolve("pheromone");
    }

    /// The bytes of a file that nobody else may read; any other is refused, whatever is in it.
    public byte[] readSecret(Path file) throws IOException {
        return UserFolder.readSecret(file);
    }

    /// Writes a new file that nobody else may read, on disk when this returns. Never replaces one.
    public void writeSecret(Path file, byte[] content) throws IOException {
        UserFolder.writeSecret(file, content);
    }

    /// Where a path really leads, with links resolved as far as it exists.
    public Path real(Path path) {
        return UserFolder.real(path);
    }

    /// The names in a folder, at most `countMax` of them; none if it can't be listed.
    public List<String> names(Path folder, int countMax) {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
            for (Path entry : entries) {
                if (names.size() == countMax) {
                    break;
                }
                names.add(String.valueOf(entry.getFileName()));
            }
        } catch (IOException | DirectoryIteratorException e) {
            return List.of();
        }
        return names;
    }

    /// The text of a file that may not be there, which is the empty text.
    public String textIfThere(Path file, int bytesMax) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            // A pipe would keep us waiting.
            throw new CliException(ErrorCode.BAD_FILE, file + " is not a file");
        }
        try (InputStream in = Files.newInputStream(file)) {
            return new String(limited(in, bytesMax, file.toString()), StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            return "";
        }
    }

    /// Writes a file of the user's anew: readers see the old text or the new one. A link stays one.
    public void replaceText(Path file, String text) throws IOException {
        Path target = real(file);
        Path folder = target.toAbsolutePath().getParent();
        if (folder == null) {
            throw new CliException(ErrorCode.BAD_FILE, file + " is not a place for a file");
        }
        Files.createDirectories(folder);
        Path draft = Files.createTempFile(folder, ".rsm-", ".tmp");
        try {
            Files.writeString(draft, text);
            if (isPosix(target)) {
                Files.setPosixFilePermissions(
                        draft,
                        Files.exists(target)
                                ? Files.getPosixFilePermissions(target)
                                : PosixFilePermissions.fromString("rw-r--r--"));
            }
            Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(draft);
        }
    }

    /// Removes a file of the user's. One behind a link is kept, with this text.
    public void remove(Path file, String textBehindLink) throws IOException {
        if (Files.isSymbolicLink(file)) {
            replaceText(file, textBehindLink);
        } else {
            Files.deleteIfExists(file);
        }
    }

    /// A folder as the JDK's class for starting processes wants it.
    public java.io.File asFolder(Path path) {
        return path.toFile();
    }

    public boolean isFolder(Path path) {
        return Files.isDirectory(path);
    }

    boolean exists(String typed) {
        return Files.exists(asTyped(typed));
    }

    /// The hash of the file that was typed, of any size; `-` is standard input.
    public ContentHash hash(String typed) throws IOException {
        return typed.equals("-") ? hash(surroundings.in()) : hash(asTyped(typed));
    }

    /// The hash of a file of any size.
    ContentHash hash(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return hash(in);
        } catch (NoSuchFileException e) {
            throw new CliException(ErrorCode.BAD_FILE, file + ": no such file", e);
        }
    }

    private static ContentHash hash(InputStream in) throws IOException {
        MessageDigest digest = ContentHash.sha256();
        byte[] buffer = new byte[64 * 1024];
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
            digest.update(buffer, 0, read);
        }
        return new ContentHash(HexFormat.of().formatHex(digest.digest()));
    }

    /// Makes `name` a link to `target`; false if something else has that name.
    public boolean link(Path name, Path target) throws IOException {
        Files.createDirectories(name.toAbsolutePath().getParent());
        try {
            Files.createSymbolicLink(name, target);
            return true;
        } catch (FileAlreadyExistsException e) {
            return Files.isSymbolicLink(name) && Files.readSymbolicLink(name).equals(target);
        }
    }

    /// Writes a file of ours, in the place of an earlier version of it, and says whether it did: a
    /// file without `mark`, which ours have in their text, is somebody else's, and stays.
    public boolean writeMarked(Path file, String text, String mark) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        if (Files.exists(file)
                && !Files.readString(file, StandardCharsets.ISO_8859_1).contains(mark)) {
            return false;
        }
        Files.writeString(file, text);
        return true;
    }

    /// A new, empty folder that only its owner can read.
    public Path temporaryFolder() throws IOException {
        return Files.createTempDirectory("rsm-").toRealPath();
    }

    /// Removes a folder from [#temporaryFolder] with all that is in it.
    public void removeTemporary(Path folder) throws IOException {
        try (Stream<Path> entries = Files.walk(folder)) {
            for (Path entry : entries.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(entry);
            }
        }
    }

    private static boolean isPosix(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    private static byte[] limited(InputStream in, int bytesMax, String name) throws IOException {
        byte[] bytes = in.readNBytes(bytesMax + 1);
        if (bytes.length > bytesMax) {
            throw tooLarge(name, bytesMax);
        }
        return bytes;
    }

    public static CliException tooLarge(String name, int bytesMax) {
        return new CliException(ErrorCode.BAD_FILE, name + TOO_LARGE + bytesMax + " bytes");
    }

    public static boolean saysTooLarge(CliException e) {
        return e.code() == ErrorCode.BAD_FILE && String.valueOf(e.getMessage()).contains(TOO_LARGE);
    }
}
