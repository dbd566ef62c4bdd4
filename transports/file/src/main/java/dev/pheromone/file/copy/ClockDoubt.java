package dev.pheromone.file.copy;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.RegularFile;
import dev.pheromone.disk.Stat;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.guard.WithheldException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/// Whether the clock may be ahead, so that mail is not ended for good by a wrong time.
///
/// A clock that has moved more than a day past the hive's last sign of life is doubted: either
/// nobody used the hive for so long, or the clock is wrong. Ten minutes tell the two apart well
/// enough. A clock that was set wrong is often set right by then, and nothing is lost by ending
/// expired mail ten minutes later. If the disk dates what this process writes, or a later sign of
/// life, more than a day behind, this process has another clock than the machine, and is doubted
/// for as long as that lasts.
public final class ClockDoubt {

    /// How far the clock may be past the last sign of life.
    static final Duration LEAP_MAX = Duration.ofDays(1);

    /// How long a clock is doubted that nothing speaks against.
    static final Duration PROOF = Duration.ofMinutes(10);

    private static final int MARK_BYTES_MAX = 128;

    private final Disk files;
    private final HiveLayout layout;
    private final Journal journal;

    ClockDoubt(Disk files, HiveLayout layout, Journal journal) {
        this.files = files;
        this.layout = layout;
        this.journal = journal;
    }

    /// A doubt about the clock.
    ///
    /// @param since when it began, by that clock
    /// @param sign what the clock is ahead of, by the file system's clock
    /// @param text what a person is told
    public record Doubt(Instant since, Instant sign, String text) {

        /// Nothing but the leap speaks against the clock.
        private static Doubt ofLeap(Instant since, Instant lastSign) {
            return new Doubt(
                    since,
                    lastSign,
                    "the clock is %s ahead of the last sign of life here, %s: expired mail is kept until the clock has been right for %d minutes"
                            .formatted(
                                    ahead(lastSign, since),
                                    lastSign.truncatedTo(ChronoUnit.SECONDS),
                                    PROOF.toMinutes()));
        }

        /// The disk has another clock.
        private static Doubt ofDisk(Instant since, Instant disk, Instant here) {
            return new Doubt(
                    since,
                    disk,
                    "the clock of this program is %s ahead of the disk's: expired mail is kept for as long as that lasts"
                            .formatted(ahead(disk, here)));
        }

        /// It is more than a day, so that the nearest hour is exact enough.
        private static String ahead(Instant from, Instant to) {
            return Ttl.format(
                    Duration.between(from, to).plusMinutes(30).truncatedTo(ChronoUnit.HOURS));
        }
    }

    /// A doubt that was written down: when it began, and the last sign of life before it.
    private record Begun(Instant since, Instant lastSign) {}

    /// The doubt about a clock that says `now`, if there is one. Writes down when it begins, so
    /// that later processes know, and forgets one that is over.
    public Optional<Doubt> check(Instant now) throws IOException {
        Optional<Doubt> doubt = look(now);
        boolean isMarked = files.exists(mark());
        if (doubt.isPresent()
                && !begun().map(Begun::since).equals(Optional.of(doubt.get().since()))) {
            write(new Begun(now, doubt.get().sign()));
        } else if (doubt.isEmpty() && isMarked && !isLeap(lastSign(), now)) {
            files.remove(mark());
        }
        return doubt;
    }

    /// Whether the clock that says `now` may be ahead: then no mail is ended because its time is
    /// over. People are told.
    public boolean isDoubted(Instant now) throws IOException {
        Optional<Doubt> doubt = check(now);
        doubt.ifPresent(found -> journal.problem(found.text()));
        return doubt.isPresent();
    }

    /// As [#check], without a trace.
    public Optional<Doubt> look(Instant now) throws IOException {
        Instant sign = lastSign();
        Optional<Stat> mark = files.stat(mark());
        // A doubt that began in the future was about another clock, and right.
        Optional<Begun> begun =
                mark.isEmpty()
                        ? Optional.empty()
                        : begun().filter(found -> !found.since().isAfter(now));
        if (begun.isEmpty()) {
            return isLeap(sign, now) ? Optional.of(Doubt.ofLeap(now, sign)) : Optional.empty();
        }
        Instant since = begun.get().since();
        // The disk dated the mark, and by its clock the doubt began at another time.
        if (isLeap(mark.get().modified(), since)) {
            return Optional.of(Doubt.ofDisk(since, mark.get().modified(), since));
        }
        if (isLeap(sign, now) && sign.isAfter(mark.get().changed())) {
            return Optional.of(Doubt.ofDisk(since, sign, now));
        }
        return now.isBefore(since.plus(PROOF))
                ? Optional.of(Doubt.ofLeap(since, begun.get().lastSign()))
                : Optional.empty();
    }

    private static boolean isLeap(Instant sign, Instant now) {
        return now.isAfter(sign.plus(LEAP_MAX));
    }

    /// When the log was last written to: each step of each envelope leaves a line there.
    private Instant lastSign() throws IOException {
        Optional<Stat> log = files.stat(layout.log());
        return log.or(() -> statOf(layout.inboxes()))
                .map(Stat::modified)
                .orElse(Instant.MAX.minus(LEAP_MAX));
    }

    private Optional<Stat> statOf(Path path) {
        try {
            return files.stat(path);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private Optional<Begun> begun() throws IOException {
        Optional<byte[]> content = RegularFile.read(files, mark(), MARK_BYTES_MAX);
        if (content.isEmpty()) {
            return Optional.empty();
        }
        String[] times = new String(content.get(), StandardCharsets.UTF_8).strip().split("\n", -1);
        try {
            return times.length == 2
                    ? Optional.of(new Begun(Instant.parse(times[0]), Instant.parse(times[1])))
                    : Optional.empty();
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    private void write(Begun begun) throws IOException {
        String content = begun.since() + "\n" + begun.lastSign() + "\n";
        try {
            if (files.exists(mark())) {
                files.remove(mark());
            }
            Path _ =
                    files.in(
                            layout.states(),
                            () -> {
                                files.create(mark(), content.getBytes(StandardCharsets.UTF_8));
                                return mark();
                            });
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            // Another process was faster, or the disk is full or read-only: then this process alone
            // doubts, and the next one does so again.
        }
    }

    private Path mark() {
        return layout.clockDoubt();
    }
}
