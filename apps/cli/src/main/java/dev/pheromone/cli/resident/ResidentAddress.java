package dev.pheromone.cli.resident;

import dev.pheromone.cli.frame.Surroundings;
import dev.pheromone.disk.HiveLayout;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/// Where the resident process of one hive listens, for one build of the program: a Unix socket in a
/// folder that nobody else can enter.
///
/// The socket's name is a hash of which folder the hive is and which file the program is, so that a
/// client never talks to another build, nor to the resident of a hive that was here before.
public record ResidentAddress(Path socket) {

    /// The length that every system allows for the path of a socket.
    private static final int PATH_BYTES_MAX = 100;

    private static final long FNV_BEGIN = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 1_099_511_628_211L;

    private static final String LOG_SUFFIX = ".log";

    /// Earlier versions locked a file beside the socket.
    private static final String LOCK_SUFFIX = ".lock";

    /// How long the log of a resident that has ended may be of interest.
    private static final Duration LEFT_AGE_MAX = Duration.ofDays(1);

    private static final Set<PosixFilePermission> OWNER_ONLY =
            PosixFilePermissions.fromString("rwx------");

    /// The addresses at which a client looks, in this order; none where the program has no jar of
    /// its own, or no folder for sockets.
    public static List<ResidentAddress> of(HiveLayout layout, Surroundings surroundings)
            throws IOException {
        List<ResidentAddress> addresses = new ArrayList<>();
        Optional<Path> jar = jar(surroundings);
        if (jar.isEmpty() || !Files.getFileStore(layout.root()).supportsFileAttributeView("unix")) {
            return addresses;
        }
        String name = name(layout.hive(), jar.get());
        for (Path folder : folders(surroundings)) {
            Path socket = folder.resolve(name);
            if (socket.toString().getBytes(StandardCharsets.UTF_8).length <= PATH_BYTES_MAX) {
                addresses.add(new ResidentAddress(socket));
            }
        }
        return addresses;
    }

    /// The program's file beside its launcher, if it was started by one.
    static Optional<Path> jar(Surroundings surroundings) {
        Path launcher = surroundings.launcher();
        if (launcher == null) {
            return Optional.empty();
        }
        Path jar = launcher.resolveSibling("target/rsm/rsm.jar");
        return Files.isRegularFile(jar) ? Optional.of(jar) : Optional.empty();
    }

    private static List<Path> folders(Surroundings surroundings) {
        List<Path> folders = new ArrayList<>();
        String runtime = surroundings.variable("XDG_RUNTIME_DIR");
        if (runtime != null && Path.of(runtime).isAbsolute()) {
            folders.add(Path.of(runtime, "pheromone"));
        }
        folders.add(surroundings.home().resolve(".cache/pheromone"));
        return folders;
    }

    /// The same text and the same hash as in rsm-client.c.
    private static String name(Path hive, Path jar) throws IOException {
        String identity =
                identity(hive)
                        + ":"
                        + identity(jar)
                        + ":"
                        + Long.toHexString(Files.getLastModifiedTime(jar).toMillis() / 1_000);
        long hash = FNV_BEGIN;
        for (byte b : identity.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (b & 0xff)) * FNV_PRIME;
        }
        return HexFormat.of().toHexDigits(hash);
    }

    /// Which file or folder `path` is, whatever it is called.
    static String identity(Path path) throws IOException {
        Long device = (Long) Files.getAttribute(path, "unix:dev");
        Long inode = (Long) Files.getAttribute(path, "unix:ino");
        return Long.toHexString(device) + ":" + Long.toHexString(inode);
    }

    /// The same, or null if there is nothing of that name.
    static @Nullable String identityOrNull(Path path) {
        try {
            return identity(path);
        } catch (IOException e) {
            return null;
        }
    }

    /// Keeps `folder` open: as long as that is so, no other folder gets its identity.
    static Closeable heldOpen(Path folder) throws IOException {
        return FileChannel.open(folder, StandardOpenOption.READ);
    }

    UnixDomainSocketAddress address() {
        return UnixDomainSocketAddress.of(socket);
    }

    /// What the resident prints that was started in the background.
    Path log() {
        return socket.resolveSibling(socket.getFileName() + LOG_SUFFIX);
    }

    /// What a resident wrote for others to read: its log, or which process it is.
    static String text(Path file) throws IOException {
        return Files.readString(file);
    }

    /// Removes what residents of earlier builds left in the folder of the socket. Failing is no
    /// harm.
    void removeOld(Instant now) {
        Path folder = Objects.requireNonNull(socket.toAbsolutePath().getParent());
        try (DirectoryStream<Path> left =
                Files.newDirectoryStream(folder, "*{" + LOG_SUFFIX + "," + LOCK_SUFFIX + "}")) {
            for (Path file : left) {
                String name = String.valueOf(file.getFileName());
                Path theirs = folder.resolve(name.substring(0, name.lastIndexOf('.')));
                if (!Files.exists(theirs, LinkOption.NOFOLLOW_LINKS)
                        && Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS)
                                .toInstant()
                                .isBefore(now.minus(LEFT_AGE_MAX))) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // They are small.
        }
    }

    /// Makes the folder, and fails if somebody else could enter it.
    void makeFolder() throws IOException {
        Path folder = socket.getParent();
        if (folder == null) {
            throw new IOException(socket + ": no folder for a socket");
        }
        Path above = folder.getParent();
        if (above != null) {
            Files.createDirectories(above);
        }
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        }
        if (!Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS).equals(OWNER_ONLY)) {
            throw new IOException(
                    folder
                            + ": others may enter this folder, expected a folder for its owner"
                            + " only");
        }
        requireOwn(folder);
    }

    /// Only the account that a folder belongs to can rely on its permissions. Whose process this is
    /// shows in a file that it makes: Java can't ask.
    private static void requireOwn(Path folder) throws IOException {
        Path probe = Files.createTempFile(folder, ".own-", "");
        try {
            if (!Files.getOwner(probe).equals(Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS))) {
                throw new IOException(
                        folder
                                + ": found a folder of "
                                + Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS)
                                + ", expected one of "
                                + Files.getOwner(probe));
            }
        } finally {
            Files.deleteIfExists(probe);
        }
    }

    /// The number of the account whose folder it is.
    int account() throws IOException {
        Path folder = socket.toAbsolutePath().getParent();
        return (Integer) Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }

    /// Whose folder it is.
    UserPrincipal owner() throws IOException {
        return Files.getOwner(socket.toAbsolutePath().getParent(), LinkOption.NOFOLLOW_LINKS);
    }

    void removeSocket() throws IOException {
        Files.deleteIfExists(socket);
    }

    boolean isThere() {
        return Files.exists(socket, LinkOption.NOFOLLOW_LINKS);
    }
}
