package dev.pheromone.session.mail;

import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.disk.RegularFile;
import dev.pheromone.disk.Tags;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.Header;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.question.Question;
import dev.pheromone.selection.Waiting;
import dev.pheromone.session.caller.ApprovedGuards;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.hive.Authority;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.OpenedCopy;
import dev.pheromone.text.IsoTime;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// What people are to be told of by the command that `hive.yaml` names: mail for `user://`
/// addresses, when it came, at half of its time, and when a tenth is left. The time of a question
/// ends when no answer to it counts any more. What was told is kept in the hive, so that nothing is
/// told again after a restart.
public final class Notices {

    /// Why people are told of an envelope; a later one includes those before it.
    public enum Stage {
        NEW,
        HALF,
        LAST;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// One thing to tell.
    ///
    /// @param first the most pressing envelope
    /// @param endsAt when the time of that envelope is over
    /// @param count how many envelopes it is about
    public record Notice(Address to, Stage stage, Header first, Instant endsAt, int count) {}

    /// Mail, and when its time is over.
    private record Timed(Header header, Instant endsAt) {}

    /// Which part of its time is left when an envelope is told of for the last time.
    private static final int LAST_PART = 10;

    private static final int BYTES_MAX = 1024 * 1024;
    private static final int TAG_LENGTH = 8;

    private final Caller caller;
    private final OpenHive hive;
    private final Disk files;

    /// What was told, by inbox and id; null before it was looked at.
    private @Nullable Map<String, Stage> told;

    private Map<String, Stage> telling = Map.of();

    /// When the questions of the last look end: they stay as they are, and are opened once.
    private Map<String, Instant> ends = new HashMap<>();

    public Notices(Caller caller, OpenHive hive) {
        this.caller = caller;
        this.hive = hive;
        this.files = new GuardedFiles(new LocalDisk(), hive.guard());
    }

    /// The command that `hive.yaml` names; empty if it names none.
    public List<String> command() {
        return hive.config().notifying();
    }

    /// Whether a person on this machine has let this very command run: it came with a repository.
    public boolean isApproved() {
        return new ApprovedGuards(caller).get().contains(hash());
    }

    /// Lets the command run on this machine, as long as it stays as it is.
    public void approve(Authority.Person person) throws IOException {
        new ApprovedGuards(caller)
                .add(
                        hash(),
                        "notify in %s, approved by %s (%s) at %s"
                                .formatted(
                                        hive.layout().root(),
                                        person.name(),
                                        person.proof(),
                                        IsoTime.format(caller.now())));
    }

    private ContentHash hash() {
        String words = "notify\0" + String.join("\0", command());
        return ContentHash.of(words.getBytes(StandardCharsets.UTF_8));
    }

    /// What there is to tell now; each is told again until [#done] was called.
    public List<Notice> due() throws IOException {
        Map<String, Stage> before = told();
        Map<String, Stage> after = new LinkedHashMap<>();
        List<Notice> due = new ArrayList<>();
        Map<String, Instant> endsNow = new HashMap<>();
        for (Domain domain : hive.transport().domains()) {
            if (domain.address() instanceof Address.User) {
                addDue(domain, before, after, endsNow, due);
            }
        }
        telling = after;
        ends = endsNow;
        return due;
    }

    private void addDue(
            Domain domain,
            Map<String, Stage> before,
            Map<String, Stage> after,
            Map<String, Instant> endsNow,
            List<Notice> due)
            throws IOException {
        Map<Stage, List<Timed>> fresh = new LinkedHashMap<>();
        for (Waiting waiting : hive.inbox(domain.address()).waiting()) {
            if (!(waiting instanceof Waiting.Mail mail)) {
                continue;
            }
            String key = domain.name() + "/" + mail.header().id().text();
            Timed timed = new Timed(mail.header(), endOf(domain, mail, key, endsNow));
            Stage stage = stage(timed, caller.now());
            if (stage == null) {
                continue;
            }
            Stage known = before.get(key);
            if (known == null || known.compareTo(stage) < 0) {
                fresh.computeIfAbsent(stage, _ -> new ArrayList<>()).add(timed);
                after.put(key, stage);
            } else {
                after.put(key, known);
            }
        }
        fresh.forEach((stage, mail) -> {
            Timed first = mail.getFirst();
            due.add(
                    new Notice(
                            domain.address(), stage, first.header(), first.endsAt(), mail.size()));
        });
    }

    private Instant endOf(
            Domain domain, Waiting.Mail mail, String key, Map<String, Instant> endsNow)
            throws IOException {
        Header header = mail.header();
        if (!header.question()) {
            return header.expiresAt();
        }
        Instant end = ends.get(key);
        if (end == null) {
            end =
                    opened(domain, mail)
                            .flatMap(copy -> Question.of(copy.envelope()))
                            .map(Question::endsAt)
                            .orElse(header.expiresAt());
        }
        endsNow.put(key, end);
        return end;
    }

    private Optional<OpenedCopy> opened(Domain domain, Waiting.Mail mail) throws IOException {
        try {
            return hive.mail().opened(domain, mail);
        } catch (ProblemException malformed) {
            // It asks nothing.
            return Optional.empty();
        }
    }

    /// The stage that an envelope is in; null if its time is over.
    private static @Nullable Stage stage(Timed mail, Instant now) {
        Duration whole = Duration.between(mail.header().ts(), mail.endsAt());
        Duration left = Duration.between(now, mail.endsAt());
        if (left.isNegative() || left.isZero()) {
            return null;
        }
        if (left.compareTo(whole.dividedBy(LAST_PART)) <= 0) {
            return Stage.LAST;
        }
        return left.compareTo(whole.dividedBy(2)) <= 0 ? Stage.HALF : Stage.NEW;
    }

    /// Keeps that what [#due] returned was told; what does not wait any more is forgotten.
    public void done() throws IOException {
        if (telling.equals(told)) {
            return;
        }
        told = telling;
        StringBuilder text = new StringBuilder();
        telling.forEach((key, stage) -> text.append(key).append(' ').append(stage).append('\n'));
        try (Disk.Operation _ = files.begin()) {
            HiveLayout layout = hive.layout();
            files.createFolder(layout.states());
            Path draft = layout.states().resolve("." + Tags.random(TAG_LENGTH));
            files.create(draft, text.toString().getBytes(StandardCharsets.UTF_8));
            files.rename(draft, layout.notified());
        }
    }

    private Map<String, Stage> told() throws IOException {
        Map<String, Stage> known = told;
        if (known == null) {
            known = read();
            told = known;
        }
        return known;
    }

    /// A line that says nothing tells of nothing: then people hear of that envelope once more.
    private Map<String, Stage> read() throws IOException {
        Map<String, Stage> read = new LinkedHashMap<>();
        Optional<byte[]> bytes;
        try {
            bytes = RegularFile.read(files, hive.layout().notified(), BYTES_MAX);
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            return read;
        }
        String text = new String(bytes.orElse(new byte[0]), StandardCharsets.UTF_8);
        for (String line : text.split("\n", -1)) {
            int space = line.indexOf(' ');
            for (Stage stage : Stage.values()) {
                if (space > 0 && line.substring(space + 1).equals(stage.toString())) {
                    read.put(line.substring(0, space), stage);
                }
            }
        }
        return read;
    }
}
