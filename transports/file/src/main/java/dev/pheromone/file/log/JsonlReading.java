package dev.pheromone.file.log;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.LogFile;
import dev.pheromone.disk.Stat;
import dev.pheromone.disk.Uninterrupted;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseLines;
import dev.pheromone.rse.RseLog;
import dev.pheromone.rse.RseReading;
import dev.pheromone.rse.RseScope;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// A walk through a file of JSON lines that others may be appending to.
///
/// Blocks that can't hold what its scope covers are passed by, as far as there is an index; of what
/// the index does not know yet, the reading adds to it when it comes to the end of the log. A
/// reading that begins elsewhere than at the beginning, or meets another log, adds nothing.
///
/// At its end it looks again, at first after a millisecond, later up to 16 ms apart: cheaper than
/// being woken for each line of a busy log, and it can't miss one.
final class JsonlReading implements RseReading {

    private static final int CHUNK_BYTES = 64 * 1024;

    /// How far back a reading of the last lines looks at first, and at most: some ten thousand
    /// lines a minute.
    private static final int BACK_BYTES_MIN = 256 * 1024;

    private static final int BACK_BYTES_MAX = 16 * 1024 * 1024;
    private static final long LOOK_FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LOOK_LAST_NANOS = TimeUnit.MILLISECONDS.toNanos(16);

    private final Disk files;
    private final Path file;
    private final @Nullable Path indexFile;
    private final RseScope scope;
    private final LogBlock.Wanted wanted;
    private final RseLines.Test test;
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

    /// What is known of the log, the block that comes next in it, and what is new to it.
    private List<LogBlock> known = List.of();

    private int nextBlock;

    /// Before this place, blocks are passed by though they may hold what is wanted: enough comes
    /// after them.
    private long enoughFrom;

    private LogBlock.@Nullable Gathering gathering;
    private int written;

    /// @param indexFile where the index of the log is; null if there is none
    JsonlReading(Disk files, Path file, @Nullable Path indexFile, Cursor from, RseScope scope)
            throws IOException {
        this.files = files;
        this.file = file;
        this.indexFile = indexFile;
        this.scope = scope;
        this.wanted = LogBlock.Wanted.of(scope);
        this.test = new WordTest(scope.word());
        if (from.offset() > 0) {
            Uninterrupted.run(() -> goTo(from));
        } else if (indexFile != null) {
            gathering = new LogBlock.Gathering(0);
        }
    }

    /// A reading from a line near the end: see [RseLog#readLast].
    static JsonlReading ofLast(Disk files, Path file, Duration span, Instant before)
            throws IOException {
        JsonlReading reading = new JsonlReading(files, file, null, Cursor.START, RseScope.ALL);
        Uninterrupted.run(() -> reading.goBack(span, before));
        return reading;
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
            if (found.isEmpty()) {
                writeIndex();
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
        LogBlock block = block();
        if (block != null && position == block.offset() && isPassedBy(block)) {
            leave(block);
            return true;
        }
        long most = block == null ? CHUNK_BYTES : Math.min(CHUNK_BYTES, block.end() - position);
        int count = current.read(chunk.clear().limit((int) most), position);
        if (count > 0) {
            chunkStart = position;
            position += count;
            LogBlock tested =
                    block != null && block.isPlain() && !scope.word().isEmpty() ? block : null;
            List<RseEntry> entries =
                    tested == null
                            ? lines.feed(chunk.array(), count)
                            : lines.feed(chunk.array(), count, test);
            found.addAll(entries);
            if (tested != null && position == tested.end()) {
                leave(tested);
            }
            if (block == null && gathering != null) {
                entries.forEach(gathering::add);
            }
            return true;
        }
        found.addAll(lines.rest());
        if (!found.isEmpty()) {
            // Whoever ends this line may yet make another one of it.
            stopGathering();
        }
        return !found.isEmpty();
    }

    private boolean isPassedBy(LogBlock block) {
        return !block.mayHold(wanted) || (block.isPlain() && block.end() <= enoughFrom);
    }

    /// Where the last of the known blocks begin that hold as many events as are enough.
    private long enoughFrom() {
        long count = 0;
        for (LogBlock block : known.reversed()) {
            if (count >= scope.last()) {
                return block.end();
            }
            if (block.mayHold(wanted) && block.isWhole(wanted)) {
                count += block.events();
            }
        }
        return 0;
    }

    /// The known block at the position; null if there is none.
    private @Nullable LogBlock block() {
        while (nextBlock < known.size() && known.get(nextBlock).end() <= position) {
            nextBlock++;
        }
        return nextBlock < known.size() ? known.get(nextBlock) : null;
    }

    /// Goes on behind a block of which lines were left out.
    private void leave(LogBlock block) {
        Instant last = block.last();
        lines = new RseLines(block.end(), last == null ? lines.previous() : last);
        position = block.end();
        chunkStart = position;
    }

    /// Takes up the index, if it is of this very log.
    private void readIndex(Stat log) throws IOException {
        Path path = indexFile;
        if (path == null || scope.equals(RseScope.ALL)) {
            return;
        }
        Optional<LogIndex> index = LogIndex.read(files, path);
        if (index.isPresent()
                && index.get().file().equals(LogIndex.identity(log))
                && index.get().end().offset() <= log.size()
                && cursorAt(index.get().end().offset()).equals(index.get().end())) {
            known = index.get().blocks();
            enoughFrom = scope.last() == 0 ? 0 : enoughFrom();
            if (gathering != null) {
                gathering = new LogBlock.Gathering(index.get().end().offset());
            }
        }
    }

    /// Writes what was learned on the way. A reading of the whole log has made all of it anew, and
    /// so corrects an index that is wrong.
    private void writeIndex() throws IOException {
        Path path = indexFile;
        Stat log = opened;
        LogBlock.Gathering learned = gathering;
        if (path == null || log == null || learned == null || learned.closed().size() == written) {
            return;
        }
        written = learned.closed().size();
        List<LogBlock> blocks = new ArrayList<>(known);
        blocks.addAll(learned.closed());
        Cursor end = cursorAt(blocks.getLast().end());
        Optional<Stat> now = files.stat(file);
        if (now.isPresent() && now.get().isSameFileAs(log)) {
            new LogIndex(LogIndex.identity(log), end, blocks).write(files, path, now.get());
        }
    }

    private void stopGathering() throws IOException {
        writeIndex();
        gathering = null;
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
        known = List.of();
        enoughFrom = 0;
        gathering = null;
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

    /// Goes to the last line that is older than the last one by `span`, or to the beginning.
    private Cursor goBack(Duration span, Instant before) throws IOException {
        Disk.Reader current = openReader();
        long size = current == null ? 0 : current.size();
        Instant from = Instant.MAX;
        for (long back = BACK_BYTES_MIN; current != null && back < size; back *= 2) {
            long start = size - back;
            byte[] bytes = LogFile.read(current, start, (int) Math.min(back, BACK_BYTES_MAX));
            int line = 0;
            while (line < bytes.length && bytes[line++] != '\n') {
                // The rest of a line.
            }
            List<RseEntry.Read> events = new ArrayList<>();
            byte[] whole = Arrays.copyOfRange(bytes, line, bytes.length);
            for (RseEntry entry : new RseLines(start + line).feed(whole, whole.length)) {
                if (entry instanceof RseEntry.Read read && read.timeKnown()) {
                    events.add(read);
                }
            }
            for (RseEntry.Read read : events.reversed()) {
                if (from.equals(Instant.MAX) && read.event().ts().isBefore(before)) {
                    from = read.event().ts().minus(span);
                }
            }
            if (from.equals(Instant.MAX)) {
                continue;
            }
            if (events.getFirst().event().ts().isBefore(from) || back > BACK_BYTES_MAX / 2) {
                lines = new RseLines(events.getFirst().offset());
                position = lines.offset();
                chunkStart = position;
                break;
            }
        }
        return Cursor.START;
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
            boolean isFirst = opened == null;
            opened = there.get();
            if (isFirst) {
                readIndex(there.get());
            }
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

    /// Whether a word may stand in a line, in any case.
    private record WordTest(String word) implements RseLines.Test {

        private static final byte DELETE = 0x7f;

        /// Eight bytes at once.
        private static final VarHandle EIGHT =
                MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

        private static final long ONES = 0x0101_0101_0101_0101L;
        private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

        @Override
        public boolean mayHold(byte[] bytes, int from, int to) {
            // In lower case a letter has this bit; of other characters only a few more are looked
            // at than need be.
            long firsts = ONES * (word.charAt(0) | ' ');
            int at = from;
            for (; at <= to - Long.BYTES; at += Long.BYTES) {
                long eight = (long) EIGHT.get(bytes, at);
                long isOdd =
                        eight
                                | zeros(eight ^ ONES * '\\')
                                | zeros(eight ^ ONES * DELETE)
                                | zeros((eight | ONES * ' ') ^ firsts);
                if ((isOdd & HIGH_BITS) != 0 && mayBegin(bytes, at, at + Long.BYTES, to)) {
                    return true;
                }
            }
            return mayBegin(bytes, at, to, to);
        }

        /// Has the high bit of each byte that is zero, and maybe of others.
        private static long zeros(long eight) {
            return (eight - ONES) & ~eight;
        }

        /// Whether the word may begin between `from` and `end`, in a line or lines that end at
        /// `to`.
        private boolean mayBegin(byte[] bytes, int from, int end, int to) {
            byte first = (byte) word.charAt(0);
            int last = to - word.length();
            for (int at = from; at < end; at++) {
                byte b = bytes[at];
                // What is escaped, or not ASCII, may be any letter.
                if (b < 0
                        || b == '\\'
                        || b == DELETE
                        || (at <= last && lower(b) == first && isAt(bytes, at))) {
                    return true;
                }
            }
            return false;
        }

        private boolean isAt(byte[] bytes, int at) {
            for (int i = 1; i < word.length(); i++) {
                if (lower(bytes[at + i]) != word.charAt(i)) {
                    return false;
                }
            }
            return true;
        }

        private static int lower(byte b) {
            return b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b;
        }
    }
}
