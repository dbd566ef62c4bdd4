package dev.pheromone.file;

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
final class ClockDoubt {

    /// How far the clock may be past the last sign of life.
    static final Duration LEAP_MAX = Duration.ofDays(1);

    /// How long a clock is doubted that nothing speaks against.
    static final Duration PROOF = Duration.ofMinutes(10);

    private static final int MARK_BYTES_MAX = 64;

    private final Disk files;
    private final HiveLayout layout;

    ClockDoubt(Disk files, HiveLayout layout) {
        this.files = files;
        this.layout = layout;
    }

    /// A doubt about the clock.
    ///
    /// @param since when it began, by that clock
    /// @param lastSign when the hive last gave a sign of life, by the file system's clock
    record Doubt(Instant since, Instant lastSign) {

        /// What a person is told.
        String text(Instant now) {
            return "the clock says %s, and the last sign of life here is of %s: expired mail is kept until the clock has been right for %d minutes"
                    .formatted(
                            now.truncatedTo(ChronoUnit.SECONDS),
                            lastSign.truncatedTo(ChronoUnit.SECONDS),
                            PROOF.toMinutes());
        }
    }

    /// The doubt about a clock that says `now`, if there is one. Writes down when it begins, so
    /// that later processes know, and forgets one that is over.
    Optional<Doubt> check(Instant now) throws IOException {
        Optional<Doubt> doubt = look(now);
        boolean isMarked = files.exists(mark());
        if (doubt.isPresent() && (!isMarked || !doubt.get().since().equals(since().orElse(null)))) {
            write(now);
        } else if (doubt.isEmpty() && isMarked && !isLeap(lastSign(), now)) {
            files.remove(mark());
        }
        return doubt;
    }

    /// As [#check], without a trace.
    Optional<Doubt> look(Instant now) throws IOException {
        Instant sign = lastSign();
        Optional<Stat> mark = files.stat(mark());
        // A doubt that began in the future was about another clock, and right.
        Optional<Instant> since =
                mark.isEmpty() ? Optional.empty() : since().filter(begun -> !begun.isAfter(now));
        if (since.isEmpty()) {
            return isLeap(sign, now) ? Optional.of(new Doubt(now, sign)) : Optional.empty();
        }
        // The disk dated the mark, and by its clock the doubt began at another time.
        boolean isContradicted =
                isLeap(mark.get().modified(), since.get())
                        || (isLeap(sign, now) && sign.isAfter(mark.get().changed()));
        return isContradicted || now.isBefore(since.get().plus(PROOF))
                ? Optional.of(new Doubt(since.get(), sign))
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

    private Optional<Instant> since() throws IOException {
        Optional<byte[]> content = RegularFile.read(files, mark(), MARK_BYTES_MAX);
        try {
            return content.map(
                    bytes -> Instant.parse(new String(bytes, StandardCharsets.UTF_8).strip()));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    private void write(Instant since) throws IOException {
        try {
            if (files.exists(mark())) {
                files.remove(mark());
            }
            Path _ =
                    files.in(
                            layout.states(),
                            () -> {
                                files.create(
                                        mark(), since.toString().getBytes(StandardCharsets.UTF_8));
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
