package dev.pheromone.file.log;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.LogFile;
import dev.pheromone.disk.Stat;
import dev.pheromone.disk.Uninterrupted;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseLines;
import dev.pheromone.rse.RseReading;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// A walk through a file of JSON lines that others may be appending to.
///
/// At its end it looks again, at first after a millisecond, later up to 16 ms apart: cheaper than
/// being woken for each line of a busy log, and it can't miss one.
final class JsonlReading implements RseReading {

    private static final int CHUNK_BYTES = 64 * 1024;
    private static final long LOOK_FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LOOK_LAST_NANOS = TimeUnit.MILLISECONDS.toNanos(16);

    private final Disk files;
    private final Path file;
    private final ArrayDeque<RseEntry> found = new ArrayDeque<>();
    private final ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);

    private Disk.@Nullable Reader reader;
    private @Nullable Stat opened;
    private RseLines lines = new RseLines(0);
    private long position;

    /// Where in the log the chunk begins; it ends at `position`.
    private long chunkStart;

    /// The beginning of the log, as far as somebody asked for it.
    private byte[] head = {};

    JsonlReading(Disk files, Path file, Cursor from) throws IOException {
        this.files = files;
        this.file = file;
        if (from.offset() > 0) {
            Uninterrupted.run(() -> goTo(from));
        }
    }

    @Override
    public Optional<RseEntry> next() throws IOException {
        return Uninterrupted.run(this::find);
    }

    private Optional<RseEntry> find() throws IOException {
        try {
            while (found.isEmpty() && (readOn() || noticeChange())) {
                // What was read may hold only blank lines.
            }
            return Optional.ofNullable(found.poll());
        } catch (ClosedChannelException interrupted) {
            closeReader();
            return Optional.empty();
        }
    }

    @Override
    public Optional<RseEntry> next(Duration wait) throws IOException {
        long end = System.nanoTime() + wait.toNanos();
        long pause = LOOK_FIRST_NANOS;
        while (true) {
            Optional<RseEntry> entry = next();
            long left = end - System.nanoTime();
            if (entry.isPresent() || left <= 0 || Thread.currentThread().isInterrupted()) {
                return entry;
            }
            LockSupport.parkNanos(this, Math.min(pause, left));
            pause = Math.min(LOOK_LAST_NANOS, pause * 2);
        }
    }

    @Override
    public Cursor cursor() throws IOException {
        RseEntry next = found.peek();
        long offset = next == null ? lines.offset() : next.offset();
        return Uninterrupted.run(() -> cursorAt(offset));
    }

    @Override
    public long held() {
        return lines.held();
    }

    @Override
    public void close() throws IOException {
        closeReader();
    }

    /// Whether there was more to read.
    private boolean readOn() throws IOException {
        Disk.Reader current = openReader();
        if (current == null) {
            return false;
        }
        int count = current.read(chunk.clear(), position);
        if (count > 0) {
            chunkStart = position;
            position += count;
            found.addAll(lines.feed(chunk.array(), count));
            return true;
        }
        found.addAll(lines.rest());
        return !found.isEmpty();
    }

    /// At the end of the file: whether it is no longer the log, so that there is another to read.
    private boolean noticeChange() throws IOException {
        Disk.Reader current = reader;
        Stat before = opened;
        if (current == null || before == null) {
            return false;
        }
        long size = current.size();
        if (size < position) {
            restart(
                    "the log was cut short: it has "
                            + size
                            + " bytes, and "
                            + position
                            + " were read");
            return true;
        }
        Optional<Stat> there = files.stat(file);
        if (there.isPresent() && !there.get().isSameFileAs(before)) {
            closeReader();
            return openReader() != null;
        }
        return false;
    }

    private void restart(String reason) {
        found.add(new RseEntry.Restart(reason));
        lines = new RseLines(0);
        position = 0;
        chunkStart = 0;
        head = new byte[0];
    }

    private Cursor goTo(Cursor from) throws IOException {
        Disk.Reader current = openReader();
        if (current == null) {
            restart("the log is gone, expected one of at least " + from.offset() + " bytes");
        } else if (current.size() < from.offset()) {
            restart(
                    "the log was cut short: it has "
                            + current.size()
                            + " bytes, expected at least "
                            + from.offset());
        } else if (!cursorAt(from.offset()).equals(from)) {
            restart("the log was replaced: other bytes stand before " + from.offset());
        } else {
            lines = new RseLines(from.offset());
            position = from.offset();
            chunkStart = position;
        }
        return from;
    }

    private Cursor cursorAt(long offset) throws IOException {
        Disk.Reader current = offset == 0 ? null : openReader();
        if (current == null) {
            return Cursor.START;
        }
        int window = (int) Math.min(Cursor.WINDOW_BYTES, offset);
        if (head.length < window) {
            head = LogFile.read(current, 0, window);
        }
        long from = offset - window;
        // Who follows a busy log asks after each line, and has read what stands before it.
        byte[] before =
                from >= chunkStart && offset <= position
                        ? Arrays.copyOfRange(
                                chunk.array(),
                                (int) (from - chunkStart),
                                (int) (offset - chunkStart))
                        : LogFile.read(current, from, window);
        return Cursor.at(offset, Arrays.copyOf(head, Math.min(head.length, window)), before);
    }

    /// The reader of the log, if there is a log.
    private Disk.@Nullable Reader openReader() throws IOException {
        if (reader != null) {
            return reader;
        }
        Optional<Stat> there = files.stat(file);
        if (there.isEmpty()) {
            return null;
        }
        if (!there.get().isFile()) {
            // Opening a pipe would wait for ever, and a link could lead anywhere.
            throw new IOException(file + " is " + there.get().kind() + ", expected a file");
        }
        Stat before = opened;
        if (before != null && !there.get().isSameFileAs(before)) {
            restart("the log was replaced by another file");
        }
        try {
            reader = files.openRead(file);
            opened = there.get();
        } catch (NoSuchFileException e) {
            return null;
        }
        return reader;
    }

    private void closeReader() throws IOException {
        Disk.Reader current = reader;
        reader = null;
        if (current != null) {
            current.close();
        }
    }
}
