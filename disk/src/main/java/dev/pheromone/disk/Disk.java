package dev.pheromone.disk;

import dev.pheromone.guard.Access;
import dev.pheromone.guard.Permission;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;

/// The file operations that a hive is built from, each with one meaning. Nothing above this
/// interface knows how a platform does them, and tests put one below that fails or dies at any
/// step.
///
/// No method follows a symbolic link in the last part of a path. A missing file is a
/// `NoSuchFileException`, a taken name a `FileAlreadyExistsException`.
public interface Disk {

    /// Several operations of this thread that are one to whoever sets a lock: withheld from the
    /// first on, or done to the last. Never sleep before it is closed.
    default Operation begin() {
        return Operation.NONE;
    }

    /// A stretch of work; the innermost of several is part of the outermost.
    interface Operation extends AutoCloseable {

        Operation NONE = () -> {};

        @Override
        void close();
    }

    /// So many steps are one operation, where there are many of a kind: a few milliseconds' worth.
    int BURST_MAX = 64;

    /// What is done with one of many.
    interface Each<T> {
        void on(T one) throws IOException;
    }

    /// Does `step` for each of `all`. To enter and leave takes longer than to look at a file, so
    /// some dozens of steps are one operation; whoever sets a lock gets in between two of these.
    default <T> void forEach(Iterable<T> all, Each<? super T> step) throws IOException {
        Iterator<T> left = all.iterator();
        while (left.hasNext()) {
            try (Operation _ = begin()) {
                for (int i = 0; i < BURST_MAX && left.hasNext(); i++) {
                    step.on(left.next());
                }
            }
        }
    }

    /// Fails with a `WithheldException` if a lock forbids the access; for work that is to be
    /// withheld before its first step.
    default void require(Path path, Access access) throws IOException {}

    /// Whether no lock forbids anything, so that nobody has to ask about each of many files.
    default boolean isFree() {
        return true;
    }

    /// The absolute path without symbolic links; the one method that follows them.
    Path realPath(Path path) throws IOException;

    Optional<Stat> stat(Path path) throws IOException;

    /// Whether the name is taken, by anything. Cheaper than `stat` where most names are free.
    boolean exists(Path path);

    /// Whether this process may write to it, as far as permissions say.
    boolean isWritable(Path path);

    /// Whether everybody on this machine may write to it; false where the platform can't tell.
    boolean isWritableByAll(Path path) throws IOException;

    /// The volume on which a file or folder lies.
    Mount mount(Path path) throws IOException;

    /// The entries of a folder in no order; none if there is no such folder. Paths, not strings: a
    /// name need not be text. While others change the folder an entry may be missed, so that
    /// absence here proves nothing.
    List<Path> list(Path folder) throws IOException;

    /// The entries of a folder if it has at most `countMax`, else nothing: for a look that is only
    /// worth it if it is short.
    default Optional<List<Path>> listIfFew(Path folder, int countMax) throws IOException {
        List<Path> entries = list(folder);
        return entries.size() <= countMax ? Optional.of(entries) : Optional.empty();
    }

    /// The first bytes of a file, at most `bytesMax`.
    byte[] read(Path file, int bytesMax) throws IOException;

    /// What is there and, of a regular file of at most `sizeMax` bytes, as many of its first bytes
    /// as there is room for. Empty if the name is free.
    ///
    /// @param room gives an array for a file of so many bytes, be it a smaller one
    default Optional<Peek> peek(Path file, int sizeMax, IntFunction<byte[]> room)
            throws IOException {
        Optional<Stat> stat = stat(file);
        if (stat.isEmpty() || !stat.get().isFile() || stat.get().size() > sizeMax) {
            return stat.map(found -> new Peek(found, Peek.NOTHING, 0));
        }
        byte[] into = room.apply((int) stat.get().size());
        byte[] bytes = read(file, into.length);
        System.arraycopy(bytes, 0, into, 0, bytes.length);
        return Optional.of(new Peek(stat.get(), into, bytes.length));
    }

    /// What a peek found.
    ///
    /// @param length how many of `bytes` were read
    @SuppressWarnings("ArrayRecordComponent")
    record Peek(Stat stat, byte[] bytes, int length) {
        static final byte[] NOTHING = {};
    }

    /// Creates a file that only its owner can read, writes `content`, and forces it to the disk. A
    /// failure leaves no file behind.
    void create(Path file, byte[] content) throws IOException;

    /// Creates a file that only its owner can read, and writes `content`, which is not forced yet.
    /// A failure leaves no file behind.
    Handle openDraft(Path file, byte[] content) throws IOException;

    /// Opens a file that is there, to force it later under the names that it has by then.
    Handle open(Path file) throws IOException;

    /// A file that stays open: forced by this handle, whatever its name is by then.
    interface Handle extends Closeable {
        /// Forces the content to the disk.
        void force() throws IOException;
    }

    /// Forces a file that is there to the disk, whoever wrote it.
    void force(Path file) throws IOException;

    /// The leave to write this very content to `name` in spite of a lock, if a person gave one.
    default Optional<Permission> permission(Path name, byte[] content) {
        return Optional.empty();
    }

    /// Creates `name` with `content`, by way of `draft`, as [#permission] allows; it is on the disk
    /// when this returns. Fails without a leave, and never replaces a name.
    default void createPermitted(Path draft, Path name, byte[] content) throws IOException {
        throw new AccessDeniedException(name.toString());
    }

    /// Gives the file a second name; never replaces one.
    void link(Path existing, Path name) throws IOException;

    /// Renames atomically. Replaces silently, so `to` is always a name made for this one use.
    void rename(Path from, Path to) throws IOException;

    void remove(Path name) throws IOException;

    /// Makes the folder and those above it, each on the disk.
    void createFolder(Path folder) throws IOException;

    /// What is done in a folder.
    interface Step<T> {
        T take() throws IOException;
    }

    /// Does what needs `folder`, which is made only once it turns out to be missing: mostly it is
    /// there.
    default <T> T in(Path folder, Step<T> step) throws IOException {
        try {
            return step.take();
        } catch (NoSuchFileException e) {
            createFolder(folder);
            return step.take();
        }
    }

    /// As [#link], into a folder that may be missing.
    default void linkInto(Path folder, Path existing, Path name) throws IOException {
        Path _ =
                in(
                        folder,
                        () -> {
                            link(existing, name);
                            return name;
                        });
    }

    /// As [#rename], into a folder that may be missing.
    default void renameInto(Path folder, Path from, Path to) throws IOException {
        Path _ =
                in(
                        folder,
                        () -> {
                            rename(from, to);
                            return to;
                        });
    }

    /// Forces the names in a folder to the disk.
    void sync(Path folder) throws IOException;

    /// Forces the names in a folder of files that were forced under these names. Where a forced
    /// file brings its names with it, that takes nothing more.
    default void syncNamesOfForced(Path folder) throws IOException {
        sync(folder);
    }

    void touch(Path file, Instant modified) throws IOException;

    /// Opens for appending, and creates if need be.
    Appender openAppend(Path file) throws IOException;

    Reader openRead(Path file) throws IOException;

    /// Takes the kernel's exclusive lock on a file, which is made if need be; empty if another
    /// holds it. The kernel lets go when the process ends, however it ends.
    Optional<Closeable> tryLock(Path file) throws IOException;

    /// An append-only file. Each write is one system call, so whole lines of several processes
    /// never mix.
    interface Appender extends Closeable {
        void write(ByteBuffer wholeLines) throws IOException;

        void force() throws IOException;

        long size() throws IOException;
    }

    /// A file read by position.
    interface Reader extends Closeable {
        /// Returns how many bytes were read at `position`, -1 at the end.
        int read(ByteBuffer into, long position) throws IOException;

        long size() throws IOException;
    }
}
