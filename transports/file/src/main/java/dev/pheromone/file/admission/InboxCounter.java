package dev.pheromone.file.admission;

import dev.pheromone.HiveConfig;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Stat;
import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.envelope.Header;
import dev.pheromone.file.copy.History;
import dev.pheromone.file.copy.InboxIndex;
import dev.pheromone.file.copy.Inspector;
import dev.pheromone.file.copy.Inspector.Sight;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.selection.Urgency;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.TreeSet;

/// Counts what waits in one inbox without an index of it, and shares with other processes what was
/// counted where that is dear.
final class InboxCounter {

    /// How long a count is believed.
    static final Duration FRESH = Duration.ofSeconds(1);

    /// To list fewer names is as quick as to read how many there were.
    private static final int LISTED_MAX = 256;

    /// To look at fewer files for the oldest is as quick as to read what somebody else found.
    private static final int SHARED_MIN = 8;

    /// The file of counts grows by a line a second at most, and begins anew beyond this.
    private static final long COUNTS_BYTES_MAX = 64 * 1024;

    private static final int LINE_BYTES_MAX = 64;

    /// How many files are looked at to find the oldest: a few milliseconds' worth.
    private static final int LOOKS_MAX = 256;

    private final Disk files;
    private final HiveLayout layout;
    private final HiveConfig config;
    private final Inspector inspector;
    private final History history;
    private final Domain domain;
    private final Path counts;

    InboxCounter(
            Disk files,
            HiveLayout layout,
            HiveConfig config,
            Inspector inspector,
            History history,
            Domain domain) {
        this.files = files;
        this.layout = layout;
        this.config = config;
        this.inspector = inspector;
        this.history = history;
        this.domain = domain;
        this.counts = layout.state(domain).resolve("depth");
    }

    /// What another process counted just now, or else what this one counts. How many wait is
    /// counted anew where that costs little.
    InboxCount count(Instant now) throws IOException {
        Optional<InboxCount> shared = readShared(now);
        if (shared.isPresent()) {
            return shared.get().depth() < LISTED_MAX
                    ? shared.get().withDepth(depth())
                    : shared.get();
        }
        InboxCount count = look(now);
        share(count, now);
        return count;
    }

    private int depth() throws IOException {
        int depth = 0;
        for (Path file : files.list(layout.inbox(domain))) {
            depth += isMail(file) ? 1 : 0;
        }
        return depth;
    }

    /// Whether a file of that name counts. Other names of mail may be junk; whoever reads knows,
    /// and shares it.
    private static boolean isMail(Path file) {
        return InboxIndex.isMailName(file) && HiveLayout.hasIdAsName(file);
    }

    /// Counts by names. Some ids begin with a time, which is the sender's word, and others with
    /// anything: what counts is in the files. The lowest names are only the best guess where there
    /// are too many to look at.
    private InboxCount look(Instant now) throws IOException {
        int depth = 0;
        boolean all = true;
        TreeSet<Path> first = new TreeSet<>();
        for (Path file : files.list(layout.inbox(domain))) {
            if (!InboxIndex.isMailName(file)) {
                continue;
            }
            depth += isMail(file) ? 1 : 0;
            if (first.size() < LOOKS_MAX) {
                first.add(file);
            } else {
                all = false;
                if (file.compareTo(first.last()) < 0) {
                    first.add(file);
                    first.pollLast();
                }
            }
        }
        return oldest(new InboxCount(depth, null, all), first, now);
    }

    /// Looks for the oldest; done as soon as one is found that is too old already.
    private InboxCount oldest(InboxCount count, Iterable<Path> names, Instant now)
            throws IOException {
        Instant tooOld = now.minus(config.backpressure().oldestAgeMax());
        byte[] buffer = new byte[EnvelopeText.PREFIX_BYTES_MAX];
        Instant oldest = null;
        boolean exact = count.isExact();
        for (Path file : names) {
            Optional<Urgency> urgency = Optional.empty();
            try {
                urgency = glance(file, now, buffer);
            } catch (WithheldException e) {
                throw e;
            } catch (IOException e) {
                exact = false;
            }
            if (urgency.isPresent() && !urgency.get().isExpired(now)) {
                Instant since = urgency.get().orderTime();
                oldest = oldest == null || since.isBefore(oldest) ? since : oldest;
                if (oldest.isBefore(tooOld)) {
                    return new InboxCount(count.depth(), oldest, false);
                }
            }
        }
        return new InboxCount(count.depth(), oldest, exact);
    }

    private Optional<Urgency> glance(Path file, Instant now, byte[] buffer) throws IOException {
        try (Disk.Operation _ = files.begin()) {
            if (inspector.glance(file, now, buffer)
                    instanceof Sight.Glimpse(Header header, Stat stat)) {
                History.Facts facts = history.read(domain, header.id().text());
                return Optional.of(InboxIndex.urgency(header, stat.changed(), facts, config));
            }
            return Optional.empty();
        }
    }

    private Optional<InboxCount> readShared(Instant now) throws IOException {
        if (!files.exists(counts)) {
            return Optional.empty();
        }
        String[] parts = lastLine().split(" ", -1);
        if (parts.length != 3) {
            return Optional.empty();
        }
        try {
            Instant at = Instant.ofEpochMilli(Long.parseLong(parts[0]));
            return at.isAfter(now) || !now.isBefore(at.plus(FRESH))
                    ? Optional.empty()
                    : InboxCount.parse(parts[1], parts[2]);
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private String lastLine() throws IOException {
        try (Disk.Reader reader = files.openRead(counts)) {
            long size = reader.size();
            ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(size, LINE_BYTES_MAX));
            int read = reader.read(buffer, size - buffer.capacity());
            String tail =
                    new String(buffer.array(), 0, Math.max(0, read), StandardCharsets.US_ASCII);
            int end = tail.lastIndexOf('\n');
            return end < 0 ? "" : tail.substring(tail.lastIndexOf('\n', end - 1) + 1, end);
        }
    }

    /// Spares others the work, if it is much.
    void share(InboxCount count, Instant now) {
        if (count.depth() < SHARED_MIN) {
            return;
        }
        String line = now.toEpochMilli() + " " + count.text() + "\n";
        try {
            files.createFolder(layout.state(domain));
            try (Disk.Appender appender = files.openAppend(counts)) {
                appender.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.US_ASCII)));
                if (appender.size() > COUNTS_BYTES_MAX) {
                    files.remove(counts);
                }
            }
        } catch (IOException e) {
            // Then others count for themselves.
        }
    }
}
