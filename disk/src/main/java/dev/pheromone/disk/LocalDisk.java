package dev.pheromone.disk;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/// The file system of this machine.
///
/// Call it on threads that nobody interrupts: an interrupt closes a channel in the middle of its
/// work.
public final class LocalDisk implements Disk {

    private static final boolean POSIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    private static final boolean UNIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("unix");

    /// The part of a Unix mode that says what kind of file it is, and three of its values.
    private static final int UNIX_TYPE_MASK = 0170000;

    private static final int UNIX_FILE = 0100000;
    private static final int UNIX_FOLDER = 0040000;
    private static final int UNIX_LINK = 0120000;

    private static final FileAttribute<?>[] OWNER_ONLY_FILE = ownerOnly("rw-------");
    private static final FileAttribute<?>[] FOLDER = {};

    private static final Set<OpenOption> CREATE_NEW =
            Set.of(
                    StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.WRITE,
                    LinkOption.NOFOLLOW_LINKS);
    private static final Set<OpenOption> APPEND =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND, LinkOption.NOFOLLOW_LINKS);
    private static final Set<OpenOption> READ =
            Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);

    /// The lock files that this process holds. POSIX forces it to be static: opening a held file
    /// once more, anywhere in the process, and closing that again would drop the lock.
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    /// Whether forcing a file forces its names, by the number of the device: the table of mounts
    /// takes longer to read than a folder to force.
    private static final Map<Object, Boolean> FORCES_NAMES = new ConcurrentHashMap<>();

    /// How long it is believed whether a folder has to be forced: people change that by hand, and
    /// to look takes as long as to write a line.
    private static final long FORCING_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);

    private static final int FORCING_FOLDERS_MAX = 64;

    /// Whether a folder has to be forced beside its files, as found at a moment.
    private record Forcing(boolean hasToBe, long atNanos) {}

    private final Map<Path, Forcing> forcing = new ConcurrentHashMap<>();

    public LocalDisk() {}

    private static FileAttribute<?>[] ownerOnly(String permissions) {
        return POSIX
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[] {};
    }

    @Override
    public Path realPath(Path path) throws IOException {
        return path.toRealPath();
    }

    @Override
    public Optional<Stat> stat(Path path) throws IOException {
        try {
            return Optional.of(UNIX ? unixStat(path) : basicStat(path));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private static Stat unixStat(Path path) throws IOException {
        Map<String, Object> attributes =
                Files.readAttributes(
                        path,
                        "unix:mode,size,ino,nlink,lastModifiedTime,ctime",
                        LinkOption.NOFOLLOW_LINKS);
        int type = attribute(attributes, "mode", Integer.class) & UNIX_TYPE_MASK;
        return new Stat(
                kind(type == UNIX_FILE, type == UNIX_FOLDER, type == UNIX_LINK),
                attribute(attributes, "size", Long.class),
                attribute(attributes, "ino", Long.class),
                attribute(attributes, "nlink", Integer.class),
                attribute(attributes, "lastModifiedTime", FileTime.class).toInstant(),
                attribute(attributes, "ctime", FileTime.class).toInstant());
    }

    private static <T> T attribute(Map<String, Object> attributes, String name, Class<T> type) {
        return type.cast(Objects.requireNonNull(attributes.get(name), name));
    }

    /// Where the platform has no inode numbers and link counts to show, the creation time stands
    /// for ctime.
    private static Stat basicStat(Path path) throws IOException {
        BasicFileAttributes attributes =
                Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        Object key = attributes.fileKey();
        return new Stat(
                kind(
                        attributes.isRegularFile(),
                        attributes.isDirectory(),
                        attributes.isSymbolicLink()),
                attributes.size(),
                key == null ? path : key,
                1,
                attributes.lastModifiedTime().toInstant(),
                attributes.creationTime().toInstant());
    }

    private static Stat.Kind kind(boolean file, boolean folder, boolean link) {
        if (file) {
            return Stat.Kind.FILE;
        }
        if (folder) {
            return Stat.Kind.FOLDER;
        }
        return link ? Stat.Kind.LINK : Stat.Kind.OTHER;
    }

    @Override
    public boolean exists(Path path) {
        return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public boolean isWritable(Path path) {
        return Files.isWritable(path);
    }

    @Override
    public boolean isWritableByAll(Path path) throws IOException {
        return POSIX
                && Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS)
                        .contains(PosixFilePermission.OTHERS_WRITE);
    }

    @Override
    public Mount mount(Path path) throws IOException {
        FileStore store = Files.getFileStore(path);
        return new Mount(store.toString(), store.type(), store.getUsableSpace());
    }

    @Override
    public List<Path> list(Path folder) throws IOException {
        return listIfFew(folder, Integer.MAX_VALUE).orElseThrow();
    }

    @Override
    public Optional<List<Path>> listIfFew(Path folder, int countMax) throws IOException {
        List<Path> entries = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder)) {
            for (Path entry : stream) {
                if (entries.size() == countMax) {
                    return Optional.empty();
                }
                entries.add(entry);
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            return Optional.of(List.of());
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return Optional.of(entries);
    }

    /// Fails on what exists and is no file: to open a pipe is to wait for its other end.
    private static void refuseOthers(Path file) throws FileSystemException {
        BasicFileAttributes attributes;
        try {
            attributes =
                    Files.readAttributes(
                            file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        } catch (IOException e) {
            // Opening it says what is wrong, if anything is.
            return;
        }
        if (!attributes.isRegularFile()) {
            throw new FileSystemException(file.toString(), null, "not a regular file");
        }
    }

    @Override
    public byte[] read(Path file, int bytesMax) throws IOException {
        refuseOthers(file);
        try (FileChannel channel = FileChannel.open(file, READ)) {
            ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(bytesMax, channel.size()));
            while (buffer.hasRemaining() && channel.read(buffer) >= 0) {
                // A read may return less than was asked for.
            }
            byte[] bytes = new byte[buffer.position()];
            buffer.flip().get(bytes);
            return bytes;
        }
    }

    @Override
    public Optional<Peek> peek(Path file, int sizeMax, IntFunction<byte[]> room)
            throws IOException {
        Optional<Stat> stat = stat(file);
        if (stat.isEmpty() || !stat.get().isFile() || stat.get().size() > sizeMax) {
            return stat.map(found -> new Peek(found, Peek.NOTHING, 0));
        }
        int size = (int) stat.get().size();
        byte[] into = room.apply(size);
        ByteBuffer buffer = ByteBuffer.wrap(into, 0, Math.min(into.length, size));
        try (FileChannel channel = FileChannel.open(file, READ)) {
            while (buffer.hasRemaining() && channel.read(buffer) >= 0) {
                // A read may return less than was asked for.
            }
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        return Optional.of(new Peek(stat.get(), into, buffer.position()));
    }

    @Override
    public void create(Path file, byte[] content) throws IOException {
        FileChannel channel = FileChannel.open(file, CREATE_NEW, OWNER_ONLY_FILE);
        try (channel) {
            writeAll(channel, ByteBuffer.wrap(content));
            channel.force(true);
        } catch (IOException e) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException alsoFailed) {
                e.addSuppressed(alsoFailed);
            }
            throw e;
        }
    }

    @Override
    public Handle openDraft(Path file, byte[] content) throws IOException {
        FileChannel channel = FileChannel.open(file, CREATE_NEW, OWNER_ONLY_FILE);
        try {
            writeAll(channel, ByteBuffer.wrap(content));
        } catch (IOException e) {
            try (channel) {
                Files.deleteIfExists(file);
            } catch (IOException alsoFailed) {
                e.addSuppressed(alsoFailed);
            }
            throw e;
        }
        return new OpenChannel(channel);
    }

    @Override
    public Handle open(Path file) throws IOException {
        refuseOthers(file);
        return new OpenChannel(FileChannel.open(file, READ));
    }

    @Override
    public void force(Path file) throws IOException {
        try (Handle open = open(file)) {
            open.force();
        }
    }

    private record OpenChannel(FileChannel channel) implements Handle {

        @Override
        public void force() throws IOException {
            // Elsewhere a file that was opened for reading can't be forced.
            if (POSIX) {
                channel.force(true);
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    private static void writeAll(FileChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    @Override
    public void link(Path existing, Path name) throws IOException {
        Files.createLink(name, existing);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void remove(Path name) throws IOException {
        Files.delete(name);
    }

    @Override
    public void createFolder(Path folder) throws IOException {
        if (Files.isDirectory(folder)) {
            return;
        }
        Path parent = folder.getParent();
        if (parent != null) {
            createFolder(parent);
        }
        try {
            Files.createDirectory(folder, FOLDER);
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(folder)) {
                throw e;
            }
        }
        if (parent != null) {
            sync(parent);
        }
    }

    @Override
    public void sync(Path folder) throws IOException {
        if (POSIX) {
            try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    @Override
    public void syncNamesOfForced(Path folder) throws IOException {
        if (hasToBeForced(folder)) {
            sync(folder);
        }
    }

    private boolean hasToBeForced(Path folder) throws IOException {
        long now = System.nanoTime();
        Forcing known = forcing.get(folder);
        if (known != null && now - known.atNanos() < FORCING_NANOS_MAX) {
            return known.hasToBe();
        }
        boolean hasToBe = isStrict(folder) || !forcesNamesWithFile(folder);
        if (forcing.size() >= FORCING_FOLDERS_MAX) {
            forcing.clear();
        }
        forcing.put(folder, new Forcing(hasToBe, now));
        return hasToBe;
    }

    /// Whether names in `folder` are to be forced on their own, as POSIX asks for: wherever people
    /// put a file `strict` into the hive's folder, and outside of hives.
    private static boolean isStrict(Path folder) {
        for (Path part = folder; part != null; part = part.getParent()) {
            if (part.endsWith(HiveLayout.HIVE_FOLDER)) {
                return Files.exists(part.resolve(HiveLayout.STRICT), LinkOption.NOFOLLOW_LINKS);
            }
            if (part.endsWith(HiveLayout.MIRROR_FOLDER)) {
                return isStrict(part.resolveSibling(HiveLayout.HIVE_FOLDER));
            }
        }
        return true;
    }

    private static boolean forcesNamesWithFile(Path folder) throws IOException {
        if (!UNIX) {
            return false;
        }
        Object device = Files.getAttribute(folder, "unix:dev", LinkOption.NOFOLLOW_LINKS);
        @Nullable Boolean known = FORCES_NAMES.get(device);
        if (known == null) {
            known = FileSystemKind.forcesNamesWithFile(Files.getFileStore(folder).type());
            FORCES_NAMES.put(device, known);
        }
        return known;
    }

    @Override
    public void touch(Path file, Instant modified) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(modified));
    }

    @Override
    public Appender openAppend(Path file) throws IOException {
        refuseOthers(file);
        FileChannel channel = FileChannel.open(file, APPEND, OWNER_ONLY_FILE);
        return new Appender() {
            @Override
            public void write(ByteBuffer wholeLines) throws IOException {
                int expected = wholeLines.remaining();
                if (channel.write(wholeLines) != expected) {
                    throw new IOException(
                            file + ": wrote only a part of " + expected + " bytes, disk full?");
                }
            }

            @Override
            public void force() throws IOException {
                channel.force(false);
            }

            @Override
            public long size() throws IOException {
                return channel.size();
            }

            @Override
            public void close() throws IOException {
                channel.close();
            }
        };
    }

    @Override
    public Reader openRead(Path file) throws IOException {
        refuseOthers(file);
        FileChannel channel = FileChannel.open(file, READ);
        return new Reader() {
            @Override
            public int read(ByteBuffer into, long position) throws IOException {
                return channel.read(into, position);
            }

            @Override
            public long size() throws IOException {
                return channel.size();
            }

            @Override
            public void close() throws IOException {
                channel.close();
            }
        };
    }

    @Override
    public Optional<Closeable> tryLock(Path file) throws IOException {
        if (!HELD.add(file)) {
            return Optional.empty();
        }
        KernelLock lock = null;
        boolean held = false;
        try {
            refuseOthers(file);
            lock = KernelLock.open(file, OWNER_ONLY_FILE);
            held = lock.tryAlone();
            return held ? Optional.of(unlocking(lock, file)) : Optional.empty();
        } finally {
            if (!held) {
                if (lock != null) {
                    lock.close();
                }
                HELD.remove(file);
            }
        }
    }

    private static Closeable unlocking(KernelLock lock, Path file) {
        return () -> {
            lock.close();
            HELD.remove(file);
        };
    }

    /// The lock on a file that nobody else in this process opens.
    public static KernelLock openLock(Path file) throws IOException {
        refuseOthers(file);
        return KernelLock.openToShare(file, OWNER_ONLY_FILE);
    }
}
