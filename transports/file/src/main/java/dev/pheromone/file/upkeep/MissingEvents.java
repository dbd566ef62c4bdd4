package dev.pheromone.file.upkeep;

import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Stat;
import dev.pheromone.disk.Trouble;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.envelope.Header;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.file.copy.AddressBook;
import dev.pheromone.file.copy.Archive;
import dev.pheromone.file.copy.ClaimName;
import dev.pheromone.file.copy.Copies;
import dev.pheromone.file.copy.History;
import dev.pheromone.file.remote.RemoteJournal;
import dev.pheromone.file.setup.Finding;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.life.ClaimToken;
import dev.pheromone.life.MailEvents;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseEvent.RsmEnvelopeReturn.Reason;
import dev.pheromone.rse.RseEvent.WorkerAck.Status;
import dev.pheromone.rse.RseKey;
import dev.pheromone.rse.RseLog;
import dev.pheromone.rse.RseLog.Durability;
import dev.pheromone.rse.RseReading;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// The events that the files prove and the log lacks: their writers died in between, or never write
/// any. They are added at the end of the log with the time at which they happened, marked
/// `recovered`.
public final class MissingEvents {

    private static final Duration RECENT = Duration.ofDays(1);

    /// Who did what nobody knows the doer of.
    private static final Actor UNKNOWN = Actor.parse("unknown");

    private final Disk files;
    private final HiveLayout layout;
    private Duration settledMin;
    private final Copies copies;
    private final AddressBook addresses;
    private final RseLog log;
    private final Set<RseKey> known = new HashSet<>();
    private final Set<RseKey> facts = new HashSet<>();

    /// The copies that the log calls done, whoever did that.
    private final Set<String> finished = new HashSet<>();

    private final List<RseEvent> missing = new ArrayList<>();
    private final List<Finding> findings = new ArrayList<>();
    private int badLines;
    private int zeroLines;

    /// One comparison of files and log.
    ///
    /// @param settledMin how long after a change the event of it may still be on its way
    public MissingEvents(
            Disk files,
            HiveLayout layout,
            Duration settledMin,
            Copies copies,
            AddressBook addresses,
            RseLog log) {
        this.files = files;
        this.layout = layout;
        this.settledMin = settledMin;
        this.copies = copies;
        this.addresses = addresses;
        this.log = log;
    }

    /// Adds them to the log.
    List<Finding> add(Recovery.Extent extent, Instant now) throws IOException {
        find(oldest(extent, now), now);
        if (!missing.isEmpty()) {
            log.append(missing, Durability.DISK);
            findings.add(Finding.fixed(nameOfLog(), count()));
        }
        return findings;
    }

    /// Adds those of what happened before the machine was started, `bootAge` ago.
    List<Finding> addAfterBoot(Duration bootAge, Instant now) throws IOException {
        settledMin = bootAge;
        return add(Recovery.Extent.RECENT, now);
    }

    /// Says how many there are.
    List<Finding> look(Recovery.Extent extent, Instant now) throws IOException {
        find(oldest(extent, now), now);
        if (!missing.isEmpty()) {
            findings.add(Finding.fixable(nameOfLog(), count()));
        }
        return findings;
    }

    /// Counts what the files prove since `oldest`, and how much of it the log tells.
    public Coverage count(Instant oldest, Instant now) throws IOException {
        find(oldest, now);
        return new Coverage(facts.size(), facts.size() - missing.size());
    }

    private String nameOfLog() {
        return layout.nameOf(layout.log());
    }

    private String count() {
        return missing.size() == 1
                ? "1 event missing from the log"
                : missing.size() + " events missing from the log";
    }

    private static Instant oldest(Recovery.Extent extent, Instant now) {
        return extent == Recovery.Extent.ALL ? Instant.EPOCH : now.minus(RECENT);
    }

    private void find(Instant oldest, Instant now) throws IOException {
        readLog();
        for (Domain domain : addresses.domains()) {
            for (Path file : files.list(layout.inbox(domain))) {
                present(domain, file, now);
            }
            for (Path file : files.list(layout.active(domain))) {
                present(domain, file, now);
            }
            for (State state : Archive.STATES) {
                archived(domain, state, oldest, now);
            }
        }
        for (Path outbox : files.list(layout.outboxes())) {
            for (Path file : files.list(outbox)) {
                spooled(String.valueOf(outbox.getFileName()), file, now);
            }
        }
    }

    private void readLog() throws IOException {
        try (RseReading reading = log.read(Cursor.START)) {
            for (Optional<RseEntry> entry = reading.next();
                    entry.isPresent();
                    entry = reading.next()) {
                switch (entry.get()) {
                    case RseEntry.Read read -> read.event().key().ifPresent(this::know);
                    case RseEntry.Bad(var _, var _, var _, var excerpt) -> {
                        badLines++;
                        zeroLines += excerpt.startsWith("\0") ? 1 : 0;
                    }
                    case RseEntry.Restart _ -> {}
                }
            }
        }
        if (badLines > 0) {
            findings.add(
                    new Finding(
                            Finding.Severity.NOTE,
                            nameOfLog(),
                            "%d %s that no event can be read from%s; the log is never rewritten"
                                    .formatted(
                                            badLines,
                                            badLines == 1 ? "line" : "lines",
                                            zeroLines == 0
                                                    ? ""
                                                    : ", %d of them zeros, as a power cut leaves them"
                                                            .formatted(zeroLines)),
                            "events",
                            null));
        }
    }

    private void archived(Domain domain, State state, Instant oldest, Instant now)
            throws IOException {
        Path oldestDay = layout.archive(domain, state, oldest);
        Path folder = layout.archive(domain).resolve(state.toString());
        for (Path day : files.list(folder)) {
            if (day.compareTo(oldestDay) >= 0) {
                for (Path file : files.list(day)) {
                    Envelope envelope = present(domain, file, now);
                    if (envelope != null) {
                        ended(domain, state, envelope, file);
                    }
                }
            }
        }
    }

    /// An envelope is here, so it was sent; and its history tells who claimed it and how that went.
    private @Nullable Envelope present(Domain domain, Path file, Instant now) throws IOException {
        return look(
                file,
                now,
                envelope -> {
                    String location = layout.nameOf(layout.mail(domain, envelope.id()));
                    expect(MailEvents.emitted(envelope, domain, location, envelope.ts()));
                    List<Json.Obj> steps =
                            copies.history().read(domain, envelope.id().text()).steps();
                    for (Json.Obj step : steps) {
                        told(domain, envelope, step, steps);
                    }
                });
    }

    /// An envelope waits in an outbox, so its sender was told that, unless the file is torn.
    private void spooled(String transport, Path file, Instant now) throws IOException {
        var _ =
                look(
                        file,
                        now,
                        envelope -> {
                            if (envelope.hashMatches()) {
                                expect(
                                        RemoteJournal.spoolEvent(
                                                envelope,
                                                layout.nameOf(file),
                                                "told by the outbox",
                                                transport,
                                                envelope.ts()));
                            }
                        });
    }

    /// What an envelope in a file proves.
    private interface Proof {
        void of(Envelope envelope) throws IOException;
    }

    /// The envelope in `file`; null if there is none.
    private @Nullable Envelope look(Path file, Instant now, Proof proof) throws IOException {
        Optional<Stat> stat = files.stat(file);
        if (stat.isEmpty()
                || !stat.get().isFile()
                || stat.get().size() > EnvelopeText.ENVELOPE_BYTES_MAX
                // Its owner may be about to write the event.
                || stat.get().changed().plus(settledMin).isAfter(now)) {
            return null;
        }
        try {
            Envelope envelope = Envelope.parse(files.read(file, EnvelopeText.ENVELOPE_BYTES_MAX));
            proof.of(envelope);
            return envelope;
        } catch (MalformedEnvelopeException | NoSuchFileException e) {
            return null;
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            findings.add(Finding.stuck(layout.nameOf(file), Trouble.reason(e)));
            return null;
        }
    }

    /// What a step proves: whatever became of a claim, it was made, even if its holder died before
    /// it told of it.
    private void told(Domain domain, Envelope envelope, Json.Obj step, List<Json.Obj> steps) {
        Optional<ClaimName> claim = step.optionalText("claim").flatMap(ClaimName::parse);
        if (claim.isEmpty()
                || claim.get().attempt() == ClaimToken.NO_ATTEMPT
                || isOfACopy(claim.get(), steps)) {
            return;
        }
        claimed(domain, envelope, claim.get());
        if (step.optionalText("what").orElse("").equals("return")) {
            returned(domain, envelope, claim.get(), step);
        }
    }

    /// Whether the claim was on another copy of the envelope, which nobody got to see.
    private static boolean isOfACopy(ClaimName claim, List<Json.Obj> steps) {
        return steps.stream()
                .filter(step -> step.optionalText("claim").orElse("").equals(claim.token()))
                .map(step -> step.optionalText("status").orElse(""))
                .anyMatch(status ->
                        status.equals(State.DUPLICATE.toString())
                                || status.equals(State.CONFLICT.toString()));
    }

    private void claimed(Domain domain, Envelope envelope, ClaimName claim) {
        if (claim.attempt() == 1) {
            expect(
                    new RseEvent.RsmEnvelopeRecv(
                                    claim.claimedAt(),
                                    envelope.lane(),
                                    claim.worker(),
                                    claim.id(),
                                    envelope.from().name(),
                                    domain,
                                    envelope.hash(),
                                    claim.attempt())
                            .withConsent(envelope.consent()));
        }
        expect(
                new RseEvent.QueenSelect(
                                claim.claimedAt(),
                                envelope.lane(),
                                claim.worker(),
                                claim.id(),
                                "told by its history",
                                domain,
                                claim.attempt())
                        .withConsent(envelope.consent()));
    }

    private void returned(Domain domain, Envelope envelope, ClaimName claim, Json.Obj step) {
        MailEvents.Copy copy = new MailEvents.Copy(domain, envelope.id(), Header.of(envelope));
        Instant at = timeOf(step).orElse(claim.claimedAt());
        Reason reason;
        try {
            reason =
                    Reason.valueOf(
                            step.optionalText("reason").orElse("lease").toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            return;
        }
        expect(
                new RseEvent.RsmEnvelopeReturn(
                                at,
                                envelope.lane(),
                                History.actorOf(step).orElse(claim.worker()),
                                claim.id(),
                                domain,
                                claim.attempt(),
                                reason)
                        .withConsent(envelope.consent()));
        if (reason == Reason.FAILED) {
            expect(
                    MailEvents.acknowledged(
                            copy,
                            claim.attempt(),
                            History.actorOf(step).orElse(claim.worker()),
                            Status.ERROR,
                            step.optionalText("note").orElse(""),
                            at));
        }
    }

    private void ended(Domain domain, State state, Envelope envelope, Path file)
            throws IOException {
        MailEvents.Copy copy = new MailEvents.Copy(domain, envelope.id(), Header.of(envelope));
        List<Json.Obj> steps = copies.history().read(domain, envelope.id().text()).steps();
        Instant at = Archive.timeOf(file).orElse(Instant.EPOCH);
        for (Json.Obj step : steps.reversed()) {
            if (step.optionalText("status").orElse("").equals(state.toString())) {
                String note = step.optionalText("note").orElse("");
                Optional<ClaimName> claim = step.optionalText("claim").flatMap(ClaimName::parse);
                if (state != State.DONE) {
                    expect(copies.journal().events().ended(copy, state, note, at));
                } else if (claim.isPresent()) {
                    expect(
                            MailEvents.acknowledged(
                                    copy,
                                    claim.get().attempt(),
                                    History.actorOf(step).orElse(claim.get().worker()),
                                    Status.DONE,
                                    note,
                                    at));
                }
                return;
            }
        }
        if (state != State.DONE) {
            expect(copies.journal().events().ended(copy, state, "", at));
            return;
        }
        // Done, on a disk too full to say so: the last claim was the one. Without any history, as
        // after a power cut, nobody knows whose claim that was.
        Optional<ClaimName> last =
                steps.reversed().stream()
                        .flatMap(step ->
                                step.optionalText("claim").flatMap(ClaimName::parse).stream())
                        .findFirst();
        if (last.isPresent() || !finished.contains(copyOf(envelope.id().text(), domain.name()))) {
            expect(
                    MailEvents.acknowledged(
                            copy,
                            last.map(ClaimName::attempt).orElse(1),
                            last.map(ClaimName::worker).orElse(UNKNOWN),
                            Status.DONE,
                            "",
                            at));
        }
    }

    private static String copyOf(String id, String inbox) {
        return inbox + "/" + id;
    }

    /// Keeps in mind what the log tells.
    private void know(RseKey key) {
        known.add(key);
        if (key.type().equals("worker_ack") && key.status().equals(State.DONE.toString())) {
            finished.add(copyOf(key.id(), key.inbox()));
        }
    }

    private static Optional<Instant> timeOf(Json.Obj step) {
        try {
            return step.optionalText("ts").map(Instant::parse);
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    private void expect(RseEvent event) {
        Optional<RseKey> key = event.key();
        if (key.isEmpty()) {
            return;
        }
        facts.add(key.get());
        if (known.add(key.get())) {
            missing.add(
                    RseEvent.of(
                            event.ts(),
                            event.type(),
                            event.lane(),
                            event.actor(),
                            event.data().put("recovered", true)));
        }
    }
}
