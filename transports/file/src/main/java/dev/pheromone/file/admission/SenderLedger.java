package dev.pheromone.file.admission;

import dev.pheromone.SenderTraffic;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Stat;
import dev.pheromone.disk.Tags;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Priority;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/// What one sender put into one inbox: a file to which every process that sends in its name appends
/// a line, and what this process has read of it. Losing the file is harmless.
///
/// Not thread-safe.
final class SenderLedger {

    /// A line: milliseconds, id, class, hops.
    private static final int COLUMNS = 4;

    /// Beyond this, or twice its size after it was last cleared, a ledger is cleared of what does
    /// not count any more. If much was left then, its first line says how much.
    private static final long CLEARING_BYTES_MIN = 64 * 1024;

    private static final String CLEARED_PREFIX = "cleared ";
    private static final int FIRST_LINE_BYTES_MAX = 32;

    /// No line is shorter: so many bytes are at most so many envelopes.
    private static final int LINE_BYTES_MIN = 34;

    /// As much as is read at once, from the end backwards, until a line is too old to count.
    private static final int TAIL_BYTES = 16 * 1024;

    /// Several clocks may have written the lines: one older than this ends the tail.
    private static final Duration TAIL_AGE = Duration.ofMinutes(2);

    /// More is not read: the beginning of such a file tells nothing of the last minute.
    private static final int READ_BYTES_MAX = 8 * 1024 * 1024;

    private static final int TAG_LENGTH = 8;

    private final Disk files;
    private final HiveLayout layout;
    private final Domain domain;
    private final Path file;

    private SenderTraffic traffic = new SenderTraffic();

    /// The lines of mail that may still wait, by id.
    private final LinkedHashMap<String, String> lines = new LinkedHashMap<>();

    private long readFrom;
    private long readTo;

    /// How long the ledger was when it was last cleared, as this process saw it.
    private long cleared;

    /// @param sender the sender's name, as files are named
    SenderLedger(Disk files, HiveLayout layout, Domain domain, String sender) {
        this.files = files;
        this.layout = layout;
        this.domain = domain;
        this.file = layout.senders(domain).resolve(sender);
    }

    /// Reads what was added since the last time; the first time, what is young enough to count.
    SenderTraffic traffic(Instant now) throws IOException {
        long size = size();
        if (size < readTo) {
            // Another process has cleared it.
            forget();
        }
        if (readTo == 0 && size > TAIL_BYTES) {
            readTail(size, now);
        } else if (size > readTo) {
            read(readTo, size);
        }
        return traffic;
    }

    /// Whether the ledger may have as many as `number` lines: told by its size, without reading it.
    boolean mayHave(int number) throws IOException {
        return size() / LINE_BYTES_MIN >= number;
    }

    private long size() throws IOException {
        return files.stat(file).filter(Stat::isFile).map(Stat::size).orElse(0L);
    }

    private void forget() {
        traffic = new SenderTraffic();
        lines.clear();
        readFrom = 0;
        readTo = 0;
        cleared = 0;
    }

    /// Reads all of it: what may still wait is anywhere.
    private void readWhole() throws IOException {
        long size = size();
        forget();
        read(Math.max(0, size - READ_BYTES_MAX), size);
    }

    private void readTail(long size, Instant now) throws IOException {
        for (long bytes = TAIL_BYTES; ; bytes *= 2) {
            long from = Math.max(0, size - bytes);
            forget();
            read(from, size);
            readFrom = from;
            if (from == 0
                    || bytes >= READ_BYTES_MAX
                    || lines.isEmpty()
                    || timeOf(lines.firstEntry().getValue()).isBefore(now.minus(TAIL_AGE))) {
                return;
            }
        }
    }

    private void read(long from, long size) throws IOException {
        String text = text(from, size);
        int end = text.lastIndexOf('\n') + 1;
        // Whoever begins in the middle mostly meets a part of a line.
        int begin = from == readTo ? 0 : Math.min(end, text.indexOf('\n') + 1);
        text.substring(begin, end).lines().forEach(this::take);
        readTo = from + end;
    }

    private String text(long from, long to) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate((int) (to - from));
        try (Disk.Reader reader = files.openRead(file)) {
            while (buffer.hasRemaining() && reader.read(buffer, from + buffer.position()) > 0) {
                // On to the end.
            }
        } catch (NoSuchFileException e) {
            return "";
        }
        return new String(buffer.array(), 0, buffer.position(), StandardCharsets.US_ASCII);
    }

    private void take(String line) {
        String[] columns = line.split(" ", -1);
        if (columns.length == COLUMNS && EnvelopeId.isId(columns[1])) {
            try {
                traffic.add(timeOf(line), Priority.parse(columns[2]), Integer.parseInt(columns[3]));
                lines.put(columns[1], line);
            } catch (IllegalArgumentException e) {
                // A torn line: as if it had been lost.
            }
        }
    }

    private static Instant timeOf(String line) {
        return Instant.ofEpochMilli(Long.parseLong(line.substring(0, line.indexOf(' '))));
    }

    /// How many of the sender's envelopes wait, as far as that is a question: below `max` the
    /// number is only an upper bound, so that it costs nothing.
    int waiting(int max) throws IOException {
        if (readFrom > 0 && readTo / LINE_BYTES_MIN >= max) {
            readWhole();
        }
        if (lines.size() >= max) {
            lines.keySet().removeIf(id -> !isWaiting(id));
        }
        return lines.size();
    }

    private boolean isWaiting(String id) {
        return files.exists(layout.mail(domain, EnvelopeId.parse(id)));
    }

    /// Adds an envelope that was put in just now.
    void add(Envelope envelope, Instant now) throws IOException {
        String line =
                now.toEpochMilli()
                        + " "
                        + envelope.id().text()
                        + " "
                        + envelope.priority()
                        + " "
                        + envelope.hops();
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.US_ASCII);
        long size;
        try (Disk.Appender appender = open()) {
            appender.write(ByteBuffer.wrap(bytes));
            size = appender.size();
        }
        if (size == readTo + bytes.length) {
            // Nobody else wrote in between: what is there is known without reading it.
            take(line);
            readTo = size;
        }
        if (size > CLEARING_BYTES_MIN && size > 2 * cleared) {
            cleared = clearedSize();
            if (size > 2 * cleared) {
                clear(now);
            }
        }
    }

    /// How long the ledger was when somebody last cleared it; 0 if nobody said so.
    private long clearedSize() throws IOException {
        String first = text(0, FIRST_LINE_BYTES_MAX).lines().findFirst().orElse("");
        try {
            return first.startsWith(CLEARED_PREFIX)
                    ? Long.parseLong(first.substring(CLEARED_PREFIX.length()))
                    : 0;
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private Disk.Appender open() throws IOException {
        try {
            return files.openAppend(file);
        } catch (NoSuchFileException e) {
            files.createFolder(layout.senders(domain));
            return files.openAppend(file);
        }
    }

    /// Keeps what counts at `now` or still waits, without what a wrong clock said to be later. A
    /// line that another process adds meanwhile may be lost, which makes us lenient for once.
    private void clear(Instant now) throws IOException {
        readWhole();
        List<String> kept = new ArrayList<>();
        lines.forEach((id, line) -> {
            if (SenderTraffic.counts(timeOf(line), now) || isWaiting(id)) {
                kept.add(line);
            }
        });
        StringBuilder text = new StringBuilder();
        kept.forEach(line -> text.append(line).append('\n'));
        if (2L * text.length() > CLEARING_BYTES_MIN) {
            text.insert(0, CLEARED_PREFIX + text.length() + "\n");
        }
        Path draft =
                layout.senders(domain)
                        .resolve("." + file.getFileName() + "." + Tags.random(TAG_LENGTH));
        files.create(draft, text.toString().getBytes(StandardCharsets.US_ASCII));
        files.rename(draft, file);
        forget();
    }
}
