package dev.pheromone.file.embargo;

import dev.pheromone.Outcome;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Publication;
import dev.pheromone.disk.RegularFile;
import dev.pheromone.disk.Stat;
import dev.pheromone.disk.Tags;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// How work ended while the hive was locked: kept in the embargo, and applied once the hive is
/// free.
public final class KeptOutcomes {

    private static final int BYTES_MAX = 64 * 1024;
    private static final int TAG_LENGTH = 8;

    /// Stands for the inbox of a claim where only the hive could tell it; no inbox has that name.
    private static final String ANY_INBOX = "_";

    private final Disk files;
    private final HiveLayout layout;
    private final Publication publication;

    /// One of them.
    ///
    /// @param inbox null if it was not known
    public record Kept(
            Path file, @Nullable Domain inbox, String claim, Outcome outcome, Actor by) {}

    public KeptOutcomes(Disk files, HiveLayout layout) {
        this.files = files;
        this.layout = layout;
        this.publication = new Publication(files);
    }

    /// Keeps an outcome; the first that is said of a claim counts. Returns where it waits, relative
    /// to the hive root. Fails if another one waits.
    public String keep(@Nullable Domain inbox, String claim, Outcome outcome, Actor by, Instant now)
            throws IOException {
        Optional<Kept> before = find(claim);
        if (before.isPresent()) {
            return confirm(before.get(), outcome);
        }
        Path folder = layout.mirrorOutcomes().resolve(inbox == null ? ANY_INBOX : inbox.name());
        Path file = folder.resolve(claim);
        Json.Obj json =
                Json.obj()
                        .put("claim", claim)
                        .put("status", status(outcome))
                        .put("note", outcome.note())
                        .put("by", by.name())
                        .put("at", now.toString());
        try (Disk.Operation _ = files.begin()) {
            files.createFolder(folder);
            Publication.Result result =
                    publication.publish(
                            (json + "\n").getBytes(StandardCharsets.UTF_8),
                            Publication.draft(folder, "."),
                            file,
                            taken -> compare(taken, outcome));
            if (result == Publication.Result.OTHER) {
                Kept faster =
                        find(claim)
                                .orElseThrow(() -> new FileAlreadyExistsException(file.toString()));
                return confirm(faster, outcome);
            }
        }
        return layout.nameOf(file);
    }

    private Publication.Likeness compare(Path file, Outcome outcome) throws IOException {
        Optional<Kept> kept = read(folderOf(file), file);
        if (kept.isEmpty()) {
            return files.exists(file) ? Publication.Likeness.OTHER : Publication.Likeness.GONE;
        }
        return status(kept.get().outcome()).equals(status(outcome))
                ? Publication.Likeness.SAME
                : Publication.Likeness.OTHER;
    }

    /// Keeps the body of an answer by the holder of a claim; a later one takes the place of an
    /// earlier one. Returns where it lies, relative to the hive root.
    public String keepReply(String claim, byte[] body) throws IOException {
        Path folder = layout.embargo().resolve("reply");
        Path file = folder.resolve(claim + HiveLayout.MAIL_SUFFIX);
        try (Disk.Operation _ = files.begin()) {
            files.createFolder(folder);
            Path draft = folder.resolve("." + Tags.random(TAG_LENGTH));
            files.create(draft, body);
            files.rename(draft, file);
            files.sync(folder);
        }
        return layout.nameOf(file);
    }

    private static String status(Outcome outcome) {
        return outcome instanceof Outcome.Done
                ? "done"
                : outcome instanceof Outcome.Failed ? "error" : "released";
    }

    /// The outcome that waits for a claim, whichever inbox it was kept for.
    private Optional<Kept> find(String claim) throws IOException {
        for (Path folder : files.list(layout.mirrorOutcomes())) {
            if (files.stat(folder).filter(Stat::isFolder).isPresent()) {
                Optional<Kept> kept = read(folder, folder.resolve(claim));
                if (kept.isPresent()) {
                    return kept;
                }
            }
        }
        return Optional.empty();
    }

    /// Whether an outcome waits for a claim.
    public boolean isKept(String claim) throws IOException {
        return files.exists(layout.mirrorOutcomes()) && find(claim).isPresent();
    }

    /// To say it twice is fine, as it is without a lock, and the first note stays.
    private String confirm(Kept kept, Outcome outcome) throws IOException {
        String name = layout.nameOf(kept.file());
        if (!status(kept.outcome()).equals(status(outcome))) {
            throw new OtherOutcomeException(status(kept.outcome()), name);
        }
        boolean _ = publication.confirm(kept.file());
        return name;
    }

    /// How many wait, without a look into any of them.
    int count() throws IOException {
        return files().size();
    }

    /// Those that wait.
    public List<Kept> waiting() throws IOException {
        List<Kept> kept = new ArrayList<>();
        for (Path file : files()) {
            read(folderOf(file), file).ifPresent(kept::add);
        }
        return kept;
    }

    /// What lies among them and is none.
    public List<Path> unreadable() throws IOException {
        List<Path> unreadable = new ArrayList<>();
        for (Path file : files()) {
            if (read(folderOf(file), file).isEmpty() && files.stat(file).isPresent()) {
                unreadable.add(file);
            }
        }
        return unreadable;
    }

    private List<Path> files() throws IOException {
        List<Path> all = new ArrayList<>();
        for (Path folder : files.list(layout.mirrorOutcomes())) {
            for (Path file : files.list(folder)) {
                if (!String.valueOf(file.getFileName()).startsWith(".")) {
                    all.add(file);
                }
            }
        }
        return all;
    }

    private static Path folderOf(Path file) {
        return Objects.requireNonNull(file.getParent());
    }

    private Optional<Kept> read(Path folder, Path file) throws IOException {
        Optional<byte[]> bytes = RegularFile.read(files, file, BYTES_MAX);
        if (bytes.isEmpty()) {
            return Optional.empty();
        }
        try {
            if (!(Json.parse(bytes.get()) instanceof Json.Obj json)) {
                return Optional.empty();
            }
            String note = json.optionalText("note").orElse("");
            Outcome outcome =
                    switch (json.optionalText("status").orElse("")) {
                        case "done" -> new Outcome.Done(note);
                        case "error" -> new Outcome.Failed(note);
                        // Its pause, if it had one, passed while the lock held.
                        default -> new Outcome.Released(note);
                    };
            String name = String.valueOf(folder.getFileName());
            return Optional.of(
                    new Kept(
                            file,
                            name.equals(ANY_INBOX) ? null : Domain.parse(name),
                            String.valueOf(file.getFileName()),
                            outcome,
                            Actor.parse(json.optionalText("by").orElse(""))));
        } catch (MalformedJsonException | IllegalArgumentException e) {
            // Not ours: it stays where somebody put it.
            return Optional.empty();
        }
    }

    /// Moves one that was applied to the embargo's archive.
    public void archive(Kept kept, Instant now) throws IOException {
        Path folder = layout.mirrorArchive().resolve("outcome");
        files.createFolder(folder);
        try {
            files.rename(
                    kept.file(),
                    folder.resolve(
                            "%s.%d.%s"
                                    .formatted(
                                            kept.claim(),
                                            now.toEpochMilli(),
                                            Tags.random(TAG_LENGTH))));
            files.sync(folder);
        } catch (NoSuchFileException e) {
            // Another process applied it, too; the claim ended once.
        }
    }
}
