package dev.pheromone.file;

import dev.pheromone.Backpressure;
import dev.pheromone.Backpressure.Cause;
import dev.pheromone.Backpressure.Load;
import dev.pheromone.Domain;
import dev.pheromone.Header;
import dev.pheromone.HiveConfig.BackpressureLimits;
import dev.pheromone.Priority;
import dev.pheromone.Urgency;
import dev.pheromone.file.Inspector.Sight;
import dev.pheromone.file.PressureMark.Held;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.TreeSet;

/// How full one inbox is, and whether that is too full, as far as this process knows: it looks at
/// most once a second, and so do all processes together where looking is dear.
///
/// Whatever goes wrong with these files keeps no mail from its way. Safe for use by several
/// threads.
final class InboxPressure {

    private static final Duration FRESH = Duration.ofSeconds(1);

    /// A count of fewer is as quickly made as read.
    private static final int SHARED_MIN = 256;

    /// The file of counts grows by a line a second at most, and begins anew beyond this.
    private static final long COUNTS_BYTES_MAX = 64 * 1024;

    private static final int LINE_BYTES_MAX = 64;

    /// How many of the oldest are looked at to find one that could be taken.
    private static final int OLDEST_TRIES = 4;

    private final FileHive hive;
    private final Domain domain;
    private final BackpressureLimits limits;
    private final PressureMark mark;
    private final Path counts;

    private @Nullable Instant lookedAt;
    private int depth;
    private @Nullable Instant oldest;
    private @Nullable Held held;

    InboxPressure(FileHive hive, Domain domain) {
        this.hive = hive;
        this.domain = domain;
        this.limits = hive.config().backpressure();
        this.mark =
                new PressureMark(hive.files(), hive.layout(), domain, hive.events(), hive.limits());
        this.counts = hive.layout().state(domain).resolve("depth");
    }

    /// What this inbox does to an envelope of class `priority`.
    synchronized Backpressure.Admission admit(Priority priority, Instant now) {
        look(now);
        return Backpressure.admit(priority, domain, cause(), load(now), limits);
    }

    private @Nullable Cause cause() {
        Held found = held;
        return found == null ? null : found.cause();
    }

    /// The mark, if the inbox is under backpressure.
    synchronized Optional<Held> held(Instant now) {
        look(now);
        return Optional.ofNullable(held);
    }

    /// The mark as it is on the disk: a look, which judges nothing.
    synchronized Optional<Held> marked() {
        readMark();
        return Optional.ofNullable(held);
    }

    /// One more waits.
    synchronized void delivered(Instant now) {
        depth++;
        if (oldest == null) {
            oldest = now;
        }
        if (held == null && depth > limits.depthMax()) {
            judge(now);
        }
    }

    /// Takes over what a reader knows better.
    synchronized void observe(InboxIndex index, Instant now) {
        if (!isFresh(now)) {
            oldest = index.oldestReady(now).orElse(null);
            depth = index.size();
            lookedAt = now;
            share(now);
            readMark();
            judge(now);
        } else if (depth != index.size()) {
            depth = index.size();
            oldest = depth == 0 ? null : oldest;
            judge(now);
        }
    }

    /// Judges anew.
    synchronized void review(InboxIndex index, Instant now) {
        lookedAt = null;
        observe(index, now);
    }

    /// Tells what others could not tell any more.
    synchronized void finish(Instant now) {
        look(now);
        try {
            mark.finish(load(now), now);
        } catch (IOException e) {
            hive.journal().trouble("backpressure of " + domain, e);
        }
    }

    private boolean isFresh(Instant now) {
        return lookedAt != null && !now.isBefore(lookedAt) && now.isBefore(lookedAt.plus(FRESH));
    }

    private void look(Instant now) {
        if (isFresh(now)) {
            return;
        }
        lookedAt = now;
        try {
            if (!readShared(now)) {
                count(now);
                share(now);
            }
        } catch (IOException e) {
            hive.journal().trouble("depth of " + domain, e);
        }
        readMark();
        judge(now);
    }

    private void readMark() {
        try {
            held = mark.read().orElse(null);
        } catch (IOException e) {
            hive.journal().trouble("backpressure of " + domain, e);
        }
    }

    private Load load(Instant now) {
        Duration age = oldest == null ? Duration.ZERO : Duration.between(oldest, now);
        return new Load(depth, age.isNegative() ? Duration.ZERO : age);
    }

    private void judge(Instant now) {
        Load load = load(now);
        try {
            Held found = held;
            if (found == null) {
                Optional<Cause> cause = Backpressure.entered(load, limits);
                if (cause.isPresent()) {
                    held = mark.enter(cause.get(), load, now).orElse(null);
                }
            } else if (Backpressure.isOver(load, limits)) {
                mark.leave(load, now);
                held = null;
            } else if (!found.told()) {
                mark.tellLate(found, now);
            }
        } catch (IOException e) {
            hive.journal().trouble("backpressure of " + domain, e);
        }
    }

    /// Counts by names, and looks at the few that seem to be the oldest.
    private void count(Instant now) throws IOException {
        int found = 0;
        // Ids begin with a time. It is the sender's word, but what counts is in the file.
        TreeSet<Path> first = new TreeSet<>();
        for (Path file : hive.files().list(hive.layout().inbox(domain))) {
            // Other names may be junk; whoever reads knows, and shares it.
            if (HiveLayout.hasIdAsName(file)) {
                found++;
                if (first.size() < OLDEST_TRIES || file.compareTo(first.last()) < 0) {
                    first.add(file);
                    if (first.size() > OLDEST_TRIES) {
                        first.pollLast();
                    }
                }
            }
        }
        depth = found;
        oldest = null;
        for (Path file : first) {
            Optional<Urgency> urgency = glance(file, now);
            if (urgency.isPresent()
                    && urgency.get().isReady(now)
                    && !urgency.get().isExpired(now)) {
                oldest = urgency.get().orderTime();
                return;
            }
        }
    }

    private Optional<Urgency> glance(Path file, Instant now) throws IOException {
        if (hive.inspector().glance(file, now) instanceof Sight.Glimpse(Header header, Stat stat)) {
            History.Facts facts = hive.history().read(domain, header.id().text());
            return Optional.of(InboxIndex.urgency(header, stat, facts, hive.config()));
        }
        return Optional.empty();
    }

    /// What another process counted just now, if one did.
    private boolean readShared(Instant now) throws IOException {
        if (!hive.files().exists(counts)) {
            return false;
        }
        String line = lastLine();
        String[] parts = line.split(" ", -1);
        if (parts.length != 3) {
            return false;
        }
        try {
            Instant at = Instant.ofEpochMilli(Long.parseLong(parts[0]));
            if (at.isAfter(now) || !now.isBefore(at.plus(FRESH))) {
                return false;
            }
            depth = Integer.parseInt(parts[1]);
            oldest = parts[2].equals("-") ? null : Instant.ofEpochMilli(Long.parseLong(parts[2]));
            return true;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private String lastLine() throws IOException {
        try (Disk.Reader reader = hive.files().openRead(counts)) {
            long size = reader.size();
            ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(size, LINE_BYTES_MAX));
            int read = reader.read(buffer, size - buffer.capacity());
            String tail =
                    new String(buffer.array(), 0, Math.max(0, read), StandardCharsets.US_ASCII);
            int end = tail.lastIndexOf('\n');
            return end < 0 ? "" : tail.substring(tail.lastIndexOf('\n', end - 1) + 1, end);
        }
    }

    private void share(Instant now) {
        if (depth < SHARED_MIN) {
            return;
        }
        String line =
                "%d %d %s\n"
                        .formatted(
                                now.toEpochMilli(),
                                depth,
                                oldest == null ? "-" : String.valueOf(oldest.toEpochMilli()));
        try {
            hive.files().createFolder(hive.layout().state(domain));
            try (Disk.Appender appender = hive.files().openAppend(counts)) {
                appender.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.US_ASCII)));
                if (appender.size() > COUNTS_BYTES_MAX) {
                    hive.files().remove(counts);
                }
            }
        } catch (IOException e) {
            // Then others count for themselves.
        }
    }
}
