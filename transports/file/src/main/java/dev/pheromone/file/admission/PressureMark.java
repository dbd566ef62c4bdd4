package dev.pheromone.file.admission;

import dev.pheromone.Backpressure.Cause;
import dev.pheromone.Backpressure.Load;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Publication;
import dev.pheromone.disk.Stat;
import dev.pheromone.disk.Tags;
import dev.pheromone.file.copy.FileLimits;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/// The file that says that an inbox is under backpressure. Whoever makes it tells so, and whoever
/// takes it away tells that it is over; if that process dies before it has told, the next one that
/// passes by does.
final class PressureMark {

    private static final String NAME = "backpressure";
    private static final String LEFT_PREFIX = NAME + ".left.";
    private static final String DRAFT_PREFIX = "." + NAME + ".";
    private static final String TOLD = "told\n";
    private static final int BYTES_MAX = 1_024;
    private static final int TAG_LENGTH = 8;

    private final Disk files;
    private final Path folder;
    private final Domain domain;
    private final AdmissionEvents events;
    private final Duration settledMin;

    /// What a mark says.
    ///
    /// @param told whether the event log knows of it
    record Held(Instant since, Cause cause, Load load, boolean told) {}

    PressureMark(
            Disk files,
            HiveLayout layout,
            Domain domain,
            AdmissionEvents events,
            FileLimits limits) {
        this.files = files;
        this.folder = layout.state(domain);
        this.domain = domain;
        this.events = events;
        this.settledMin = limits.settledMin();
    }

    private Path file() {
        return folder.resolve(NAME);
    }

    Optional<Held> read() throws IOException {
        return read(file());
    }

    private Optional<Held> read(Path file) throws IOException {
        Optional<Stat> stat = files.stat(file);
        if (stat.isEmpty()) {
            return Optional.empty();
        }
        if (!stat.get().isFile()) {
            throw new IOException(file + ": found no regular file, expected the mark");
        }
        try {
            String text = new String(files.read(file, BYTES_MAX), StandardCharsets.UTF_8);
            return Optional.of(parse(text, stat.get()));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private static Held parse(String text, Stat stat) {
        int end = text.indexOf('\n');
        if (end > 0) {
            try {
                if (!(Json.parse(text.substring(0, end)) instanceof Json.Obj mark)) {
                    return torn(stat);
                }
                return new Held(
                        Instant.parse(mark.text("since")),
                        Cause.parse(mark.text("cause")),
                        new Load(
                                (int) mark.optionalNumber("inbox_depth").orElse(0),
                                Duration.ofSeconds(
                                        Math.max(
                                                0, mark.optionalNumber("oldest_age_s").orElse(0)))),
                        text.endsWith(TOLD));
            } catch (MalformedJsonException | IllegalArgumentException | DateTimeParseException e) {
                return torn(stat);
            }
        }
        return torn(stat);
    }

    /// A mark that is none of ours holds all the same, and nobody has anything to tell of it.
    private static Held torn(Stat stat) {
        return new Held(stat.modified(), Cause.AGE, Load.NONE, true);
    }

    /// Makes the mark, and tells it; or finds that another did.
    Optional<Held> enter(Cause cause, Load load, Instant now) throws IOException {
        files.createFolder(folder);
        Held held = new Held(now, cause, load, true);
        Json.Obj content =
                Json.obj()
                        .put("since", IsoTime.format(now))
                        .put("cause", cause.toString())
                        .put("inbox_depth", load.depth())
                        .put("oldest_age_s", load.oldestAge().toSeconds());
        Publication publication = new Publication(files);
        try {
            Publication.Result result =
                    publication.publish(
                            (content + "\n").getBytes(StandardCharsets.UTF_8),
                            Publication.draft(folder, DRAFT_PREFIX),
                            file(),
                            publication.presence(Publication.Likeness.OTHER));
            if (result == Publication.Result.OTHER) {
                return read();
            }
        } catch (Publication.UnforcedException e) {
            // The mark holds for as long as the power does; then the next look makes a new one.
        }
        tell(held);
        return Optional.of(held);
    }

    private void tell(Held held) throws IOException {
        events.pressureEntered(domain, held);
        try (Disk.Appender appender = files.openAppend(file())) {
            appender.write(ByteBuffer.wrap(TOLD.getBytes(StandardCharsets.US_ASCII)));
        }
    }

    /// Tells of a mark whose maker died before it could; its maker may only be slow.
    void tellLate(Held held, Instant now) throws IOException {
        if (!held.told() && held.since().plus(settledMin).isBefore(now)) {
            tell(held);
        }
    }

    /// Takes the mark away, and tells that it is over.
    void leave(Load load, Instant now) throws IOException {
        Path left = folder.resolve(LEFT_PREFIX + Tags.random(TAG_LENGTH));
        try {
            files.rename(file(), left);
        } catch (NoSuchFileException e) {
            return;
        }
        tellLeft(left, load, now);
    }

    private void tellLeft(Path left, Load load, Instant now) throws IOException {
        Optional<Held> held = read(left);
        if (held.isPresent()) {
            if (!held.get().told()) {
                events.pressureEntered(domain, held.get());
            }
            events.pressureLeft(domain, held.get(), load, now);
            files.remove(left);
        }
    }

    /// Tells what processes that died did not: that it is over.
    void finish(Load load, Instant now) throws IOException {
        for (Path file : files.list(folder)) {
            Optional<Stat> stat = files.stat(file);
            if (stat.isPresent() && stat.get().changed().plus(settledMin).isBefore(now)) {
                try {
                    finish(file, load, now);
                } catch (NoSuchFileException e) {
                    // Another was faster.
                }
            }
        }
    }

    private void finish(Path file, Load load, Instant now) throws IOException {
        String name = String.valueOf(file.getFileName());
        if (name.startsWith(LEFT_PREFIX)) {
            tellLeft(file, load, now);
        } else if (name.startsWith(DRAFT_PREFIX)) {
            files.remove(file);
        }
    }
}
