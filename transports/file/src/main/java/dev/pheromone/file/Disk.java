package dev.pheromone.file;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The file operations that a hive is built from, each with one meaning. Nothing above this
/// interface knows how a platform does them, and tests put one below that fails or dies at any
/// step.
///
/// No method follows a symbolic link in the last part of a path. A missing file is a
/// `NoSuchFileException`, a taken name a `FileAlreadyExistsException`.
interface Disk {

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

    /// The first bytes of a file, at most `bytesMax`.
    byte[] read(Path file, int bytesMax) throws IOException;

    /// Creates a file that only its owner can read, writes `content`, and forces it to the disk. A
    /// failure leaves no file behind.
    void create(Path file, byte[] content) throws IOException;

    /// Gives the file a second name; never replaces one.
    void link(Path existing, Path name) throws IOException;

    /// Renames atomically. Replaces silently, so `to` is always a name made for this one use.
    void rename(Path from, Path to) throws IOException;

    void remove(Path name) throws IOException;

    /// Makes the folder and those above it, each on the disk.
    void createFolder(Path folder) throws IOException;

    /// Forces the names in a folder to the disk.
    void sync(Path folder) throws IOException;

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
