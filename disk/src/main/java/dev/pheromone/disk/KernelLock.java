package dev.pheromone.disk;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.util.Objects;
import java.util.Set;

/// The kernel's lock on one file, which it lets go of when the process ends, however it ends.
///
/// It belongs to the process, not to this object: opening the file once more, anywhere in the
/// process, and closing that again would drop it. So there is one object a file.
public final class KernelLock implements Closeable {

    private static final Set<OpenOption> OPTIONS =
            Set.of(
                    StandardOpenOption.CREATE,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE,
                    LinkOption.NOFOLLOW_LINKS);

    private final Path file;
    private final FileChannel channel;
    private final @Nullable Object key;
    private @Nullable FileLock lock;

    private KernelLock(Path file, FileChannel channel, @Nullable Object key) {
        this.file = file;
        this.channel = channel;
        this.key = key;
    }

    /// Opens the file, which is made if need be, to have the lock alone.
    static KernelLock open(Path file, FileAttribute<?>... attributes) throws IOException {
        return of(file, FileChannel.open(file, OPTIONS, attributes));
    }

    /// Opens the file to share the lock with others: who may only read it, or finds the whole file
    /// system read-only, can do that all the same.
    static KernelLock openToShare(Path file, FileAttribute<?>... attributes) throws IOException {
        return of(file, openChannel(file, attributes));
    }

    private static KernelLock of(Path file, FileChannel channel) throws IOException {
        try {
            return new KernelLock(file, channel, keyOf(file));
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    private static FileChannel openChannel(Path file, FileAttribute<?>... attributes)
            throws IOException {
        try {
            return FileChannel.open(file, OPTIONS, attributes);
        } catch (FileSystemException e) {
            if (Files.isReadable(file)) {
                return FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
            }
            throw e;
        }
    }

    /// Takes the lock beside others that share it; false if somebody has it alone.
    public boolean tryShared() throws IOException {
        return isTaken(true);
    }

    /// Takes the lock alone; false if anybody has it. Fails if the file could only be opened for
    /// reading.
    public boolean tryAlone() throws IOException {
        try {
            return isTaken(false);
        } catch (NonWritableChannelException e) {
            throw new AccessDeniedException(file.toString(), null, "it can only be read");
        }
    }

    private boolean isTaken(boolean shared) throws IOException {
        try {
            lock = channel.tryLock(0, Long.MAX_VALUE, shared);
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    /// Writes `text` into the file, in the place of what it held: what others may know of the
    /// holder.
    public void write(String text) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        channel.truncate(0);
        while (bytes.hasRemaining()) {
            channel.write(bytes, bytes.position());
        }
    }

    public void release() throws IOException {
        FileLock held = lock;
        lock = null;
        if (held != null) {
            held.release();
        }
    }

    /// Whether the file still has its name: a lock on one that was replaced keeps nobody out.
    public boolean isNamed() throws IOException {
        try {
            return channel.isOpen() && Objects.equals(key, keyOf(file));
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private static @Nullable Object keyOf(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
