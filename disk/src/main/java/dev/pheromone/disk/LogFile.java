package dev.pheromone.disk;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// A file of lines as one of its writers holds it: opened on first use, reopened after a failure or
/// when another file has taken its name, and its last line ended before anything is added to it.
///
/// One thread at a time, except for `force`.
public final class LogFile implements Closeable {

    /// How often one write or force may be interrupted before it gives up.
    public static final int INTERRUPTS_MAX = 10;

    private static final int REPAIR_TRIES_MAX = 100;
    private static final long REPAIR_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /// How far back a writer looks for a line of its own. Others may have written after it, but not
    /// for long.
    private static final int LOOK_BACK_BYTES = 256 * 1024;

    private final Disk files;
    private final Path file;

    private volatile Disk.@Nullable Appender appender;
    private volatile @Nullable Stat opened;

    /// Where the file ends if nobody else has written to it since we looked.
    private long end;

    /// Whether the appender must not be used again: a write or a force on it failed, or its file
    /// has lost its name.
    private volatile boolean spoilt;

    public LogFile(Disk files, Path file) {
        this.files = files;
        this.file = file;
    }

    /// Appends a line with its line end, by one write. `lookFirst` makes sure that the file still
    /// has its name, and that no other writer left its last line unfinished.
    public void write(byte[] line, boolean lookFirst) throws IOException {
        Disk.Appender ready = ready(lookFirst);
        try {
            ready.write(ByteBuffer.wrap(line));
            end += line.length;
        } catch (IOException | RuntimeException e) {
            spoilt = true;
            throw e;
        }
    }

    /// Whether `line` is among the last of the file: a write that was interrupted may have been
    /// done or not.
    public boolean hasLately(byte[] line) throws IOException {
        try (Disk.Reader reader = files.openRead(file)) {
            long from = Math.max(0, reader.size() - LOOK_BACK_BYTES);
            byte[] last = read(reader, from, LOOK_BACK_BYTES);
            for (int at = 0; at <= last.length - line.length; at++) {
                if (Arrays.equals(last, at, at + line.length, line, 0, line.length)) {
                    return true;
                }
            }
            return false;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /// Forces to the disk what was written. Safe beside a write of another thread.
    public void force() throws IOException {
        force(false);
    }

    /// The same; `look` for those who write without looking first.
    public void force(boolean look) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            Disk.Appender current = appender;
            boolean forced = current != null && !spoilt && isForced(current);
            if (forced && look) {
                lookAfterForce();
            }
            for (int tries = 1; !forced; tries++) {
                interrupted |= Thread.interrupted();
                if (tries > INTERRUPTS_MAX) {
                    throw new IOException(file + ": forcing was interrupted " + tries + " times");
                }
                try (Disk.Appender fresh = files.openAppend(file)) {
                    forced = isForced(fresh);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /// Looks for writers that don't look for themselves: if the file has lost its name or its last
    /// line has no end, or it can't be told, the next one opens the log anew. The force has
    /// succeeded either way.
    private void lookAfterForce() {
        try {
            if (!hasItsName() || !endsInLineEnd()) {
                spoilt = true;
            }
        } catch (IOException e) {
            spoilt = true;
        }
    }

    /// Forces by this opening of the file, unless an interrupt has closed it. That loses nothing:
    /// what was written is the kernel's, and forcing by another opening covers it.
    private boolean isForced(Disk.Appender opening) throws IOException {
        try {
            opening.force();
            return true;
        } catch (ClosedChannelException e) {
            spoilt = true;
            return false;
        } catch (IOException | RuntimeException e) {
            spoilt = true;
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        Disk.Appender last = appender;
        appender = null;
        if (last != null) {
            last.close();
        }
    }

    private Disk.Appender ready(boolean lookFirst) throws IOException {
        Disk.Appender current = appender;
        if (current != null && !spoilt && (!lookFirst || isInOrder())) {
            return current;
        }
        if (current != null) {
            appender = null;
            closeQuietly(current);
        }
        return open();
    }

    private boolean isInOrder() throws IOException {
        Stat before = opened;
        Optional<Stat> there = files.stat(file);
        if (before == null || there.isEmpty() || !there.get().isSameFileAs(before)) {
            return false;
        }
        long size = there.get().size();
        if (size != end && !endsInLineEnd()) {
            return false;
        }
        end = size;
        return true;
    }

    private boolean hasItsName() throws IOException {
        Stat before = opened;
        Optional<Stat> there = files.stat(file);
        return before != null && there.isPresent() && there.get().isSameFileAs(before);
    }

    private Disk.Appender open() throws IOException {
        Optional<Stat> there = files.stat(file);
        if (there.isPresent() && !there.get().isFile()) {
            // Opening a pipe would wait for ever, and a link could lead anywhere.
            throw new IOException(file + " is " + there.get().kind() + ", expected a file");
        }
        Path folder = file.toAbsolutePath().getParent();
        if (there.isEmpty() && folder != null) {
            files.createFolder(folder);
        }
        Disk.Appender fresh = files.openAppend(file);
        try {
            if (there.isEmpty() && folder != null) {
                files.sync(folder);
            }
            opened = files.stat(file).orElse(null);
            endLastLine(fresh);
            end = fresh.size();
        } catch (IOException | RuntimeException e) {
            closeQuietly(fresh);
            throw e;
        }
        spoilt = false;
        appender = fresh;
        return fresh;
    }

    /// Ends a last line that has no line end, because its writer died. The lock keeps two openers
    /// from both doing it; who can't get it does it all the same, for an empty line is harmless and
    /// a line run into another is not.
    private void endLastLine(Disk.Appender fresh) throws IOException {
        // Open for longer than the lock: the kernel drops a process's lock on a file as soon as the
        // process closes any channel to it.
        try (Disk.Reader reader = files.openRead(file)) {
            for (int tries = 0; tries < REPAIR_TRIES_MAX; tries++) {
                if (endsInLineEnd(reader)) {
                    return;
                }
                Optional<Closeable> lock = files.tryLock(file);
                if (lock.isPresent()) {
                    try (Closeable _ = lock.get()) {
                        if (!endsInLineEnd(reader)) {
                            fresh.write(ByteBuffer.wrap(new byte[] {'\n'}));
                        }
                        return;
                    }
                }
                LockSupport.parkNanos(REPAIR_PAUSE_NANOS);
            }
        }
        fresh.write(ByteBuffer.wrap(new byte[] {'\n'}));
    }

    private boolean endsInLineEnd() throws IOException {
        try (Disk.Reader reader = files.openRead(file)) {
            return endsInLineEnd(reader);
        }
    }

    private static boolean endsInLineEnd(Disk.Reader reader) throws IOException {
        long size = reader.size();
        if (size == 0) {
            return true;
        }
        byte[] last = read(reader, size - 1, 1);
        return last.length == 0 || last[0] == '\n';
    }

    /// The bytes from `position` on, at most `length`.
    public static byte[] read(Disk.Reader reader, long position, int length) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(length);
        while (buffer.hasRemaining() && reader.read(buffer, position + buffer.position()) > 0) {
            // A read may return less than was asked for.
        }
        return Arrays.copyOf(buffer.array(), buffer.position());
    }

    private static void closeQuietly(Disk.Appender appender) {
        try {
            appender.close();
        } catch (IOException ignored) {
            // What it wrote is the kernel's already, and it is not used again.
        }
    }
}
