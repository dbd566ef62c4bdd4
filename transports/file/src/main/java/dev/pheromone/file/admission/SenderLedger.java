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
import java.util.Map;
import java.util.Optional;

/// What one sender put into one inbox: a file to which every process that sends in its name appends
/// a line, and what this process has read of it. Losing the file is harmless.
///
/// Not thread-safe.
final class SenderLedger {

    /// A line: milliseconds, id, class, hops.
    private static final int COLUMNS = 4;

    /// Beyond this, or twice its size after it was last cleared, a ledger is cleared of what does
    /// not count any more.
    private static final long CLEARING_BYTES_MIN = 64 * 1024;

    /// More is not read: the beginning of such a file tells nothing of the last minute.
    private static final int READ_BYTES_MAX = 8 * 1024 * 1024;

    private static final int TAG_LENGTH = 8;
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final Disk files;
    private final HiveLayout layout;
    private final Domain domain;
    private final Path file;

    private SenderTraffic traffic = new SenderTraffic();

    /// The lines of mail that may still wait, by id.
    private final Map<String, String> lines = new LinkedHashMap<>();

    private long readTo;
    private long clearingSize = CLEARING_BYTES_MIN;

    /// @param sender the sender's name, as files are named
    SenderLedger(Disk files, HiveLayout layout, Domain domain, String sender) {
        this.files = files;
        this.layout = layout;
        this.domain = domain;
        this.file = layout.senders(domain).resolve(sender);
    }

    /// Reads what was added since the last time.
    SenderTraffic traffic() throws IOException {
        Optional<Stat> stat = files.stat(file);
        long size = stat.filter(Stat::isFile).map(Stat::size).orElse(0L);
        if (size < readTo) {
            // Another process has cleared it.
            forget();
        }
        if (size > readTo) {
            read(size);
        }
        return traffic;
    }

    private void forget() {
        traffic = new SenderTraffic();
        lines.clear();
        readTo = 0;
    }

    private void read(long size) throws IOException {
        long from = Math.max(readTo, size - READ_BYTES_MAX);
        ByteBuffer buffer = ByteBuffer.allocate((int) (size - from));
        try (Disk.Reader reader = files.openRead(file)) {
            while (buffer.hasRemaining() && reader.read(buffer, from + buffer.position()) > 0) {
                // On to the end.
            }
        } catch (NoSuchFileException e) {
            return;
        }
        String text = new String(buffer.array(), 0, buffer.position(), StandardCharsets.US_ASCII);
        int end = text.lastIndexOf('\n') + 1;
        text.substring(0, end).lines().forEach(this::take);
        readTo = from + end;
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
    int waiting(int max) {
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
        if (size > clearingSize) {
            clear(now);
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

    /// Keeps what is younger than a minute or still waits. A line that another process adds
    /// meanwhile may be lost, which makes us lenient for once.
    private void clear(Instant now) throws IOException {
        traffic();
        Instant oldest = now.minus(MINUTE);
        List<String> kept = new ArrayList<>();
        lines.forEach((id, line) -> {
            if (timeOf(line).isAfter(oldest) || isWaiting(id)) {
                kept.add(line);
            }
        });
        StringBuilder text = new StringBuilder();
        kept.forEach(line -> text.append(line).append('\n'));
        Path draft =
                layout.senders(domain)
                        .resolve("." + file.getFileName() + "." + Tags.random(TAG_LENGTH));
        files.create(draft, text.toString().getBytes(StandardCharsets.US_ASCII));
        files.rename(draft, file);
        clearingSize = Math.max(CLEARING_BYTES_MIN, 2L * text.length());
        forget();
    }
}
