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
import dev.pheromone.rse.RseScope;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The events that the files prove and the log lacks: their writers died in between, or never write
/// any. They are added at the end of the log with the time at which they happened, marked
/// `recovered`.
public final class MissingEvents {

    private static final Duration RECENT = Duration.ofDays(1);

    /// Who did what nobody knows the doer of.
    private static final Actor UNKNOWN = Actor.parse("unknown");

    /// How long what was appended and not forced may wait for the disk: Linux writes within half a
    /// minute what is not written yet, and a busy disk takes its time.
    private static final Duration UNFORCED_MAX = Duration.ofMinutes(2);

    /// Which files are looked at, by the time at which they last changed.
    ///
    /// @param until what changed later may still get its event from its owner
    private record Span(Instant since, Instant until) {
        boolean has(Instant changed) {
            return !changed.isBefore(since) && !changed.isAfter(until);
        }
    }

    private final Disk files;
    private final HiveLayout layout;
    private final Duration settledMin;
    private final Copies copies;
    private final AddressBook addresses;
    private final RseLog log;

    /// What the files prove, and what of it no event was found for.
    private final Set<RseKey> facts = new HashSet<>();

    private final Map<RseKey, RseEvent> missing = new LinkedHashMap<>();

    /// The copies that are done, by a claim that no history names: any that the log names will do.
    private final Map<String, RseKey> doneByAnybody = new HashMap<>();

    private final List<Finding> findings = new ArrayList<>();

    /// The day of the oldest archived mail that counts.
    private Instant archivedSince = Instant.EPOCH;

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
        append();
        return findings;
    }

    private void append() throws IOException {
        if (!missing.isEmpty()) {
            log.append(List.copyOf(missing.values()), Durability.DISK);
            findings.add(Finding.fixed(nameOfLog(), count()));
        }
    }

    /// Adds those of what happened before the machine was started, `bootAge` ago, and not long
    /// before the last line of that time: what was written earlier is on the disk. Only the end of
    /// the log is read for that line, and only files are that have changed since. Whether the log
    /// has the event of such a file is looked up in the whole log, as lines need not be in order.
    void addAfterBoot(Duration bootAge, Instant now) throws IOException {
        Instant boot = now.minus(bootAge);
        archivedSince =
                lastBefore(boot).map(last -> last.minus(UNFORCED_MAX)).orElse(Instant.EPOCH);
        look(new Span(archivedSince, boot));
        missing.values().removeIf(event -> event.ts().isBefore(archivedSince));
        if (!missing.isEmpty()) {
            readLog();
            append();
        }
    }

    /// The time of the last line that is older than `boot`; a line from the future says nothing.
    private Optional<Instant> lastBefore(Instant boot) throws IOException {
        Optional<Instant> last = Optional.empty();
        try (RseReading reading = log.readLast(UNFORCED_MAX, boot)) {
            for (Optional<RseEntry> entry = reading.next();
                    entry.isPresent();
                    entry = reading.next()) {
                if (entry.get() instanceof RseEntry.Read read
                        && read.timeKnown()
                        && read.event().ts().isBefore(boot)) {
                    last = Optional.of(read.event().ts());
                }
            }
        }
        return last;
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

    /// The files first: then their ids say which parts of the log have to be read.
    private void find(Instant oldest, Instant now) throws IOException {
        // By its day, of which archived mail has no more; what waits or is active always counts.
        archivedSince = oldest;
        look(new Span(Instant.MIN, now.minus(settledMin)));
        readLog();
    }

    private void look(Span span) throws IOException {
        for (Domain domain : addresses.domains()) {
            files.forEach(files.list(layout.inbox(domain)), file -> present(domain, file, span));
            files.forEach(files.list(layout.active(domain)), file -> present(domain, file, span));
            for (State state : Archive.STATES) {
                archived(domain, state, span);
            }
        }
        for (Path outbox : files.list(layout.outboxes())) {
            for (Path file : files.list(outbox)) {
                spooled(String.valueOf(outbox.getFileName()), file, span);
            }
        }
    }

    private void told(RseEvent event) {
        Optional<RseKey> key = event.key();
        if (key.isEmpty()) {
            return;
        }
        missing.remove(key.get());
        if (key.get().type().equals("worker_ack")
                && key.get().status().equals(State.DONE.toString())) {
            RseKey anybodys = doneByAnybody.get(copyOf(key.get()));
            if (anybodys != null) {
                missing.remove(anybodys);
            }
        }
    }

    private void readLog() throws IOException {
        Set<String> ids = new HashSet<>();
        missing.keySet().forEach(key -> ids.add(key.id()));
        try (RseReading reading = log.read(Cursor.START, RseScope.ALL.about(ids))) {
            for (Optional<RseEntry> entry = reading.next();
                    entry.isPresent();
                    entry = reading.next()) {
                switch (entry.get()) {
                    case RseEntry.Read read -> told(read.event());
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

    private void archived(Domain domain, State state, Span span) throws IOException {
        Path oldestDay = layout.archive(domain, state, archivedSince);
        Path folder = layout.archive(domain).resolve(state.toString());
        for (Path day : files.list(folder)) {
            if (day.compareTo(oldestDay) >= 0) {
                files.forEach(
                        files.list(day),
                        file -> {
                            Envelope envelope = present(domain, file, span);
                            if (envelope != null) {
                                ended(domain, state, envelope, file);
                            }
                        });
            }
        }
    }

    /// An envelope is here, so it was sent; and its history tells who claimed it and how that went.
    private @Nullable Envelope present(Domain domain, Path file, Span span) throws IOException {
        return look(
                file,
                span,
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
    private void spooled(String transport, Path file, Span span) throws IOException {
        var _ =
                look(
                        file,
                        span,
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
    private @Nullable Envelope look(Path file, Span span, Proof proof) throws IOException {
        Optional<Stat> stat = files.stat(file);
        if (stat.isEmpty()
                || !stat.get().isFile()
                || stat.get().size() > EnvelopeText.ENVELOPE_BYTES_MAX
                || !span.has(stat.get().changed())) {
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
        // Done, on a disk too full to say so, or a power cut took the end of the history: the last
        // claim that is known may have been the one.
        Optional<ClaimName> last =
                steps.reversed().stream()
                        .flatMap(step ->
                                step.optionalText("claim").flatMap(ClaimName::parse).stream())
                        .findFirst();
        RseEvent done =
                MailEvents.acknowledged(
                        copy,
                        last.map(ClaimName::attempt).orElse(1),
                        last.map(ClaimName::worker).orElse(UNKNOWN),
                        Status.DONE,
                        "",
                        at);
        expect(done);
        done.key().ifPresent(key -> doneByAnybody.put(copyOf(key), key));
    }

    private static String copyOf(RseKey key) {
        return key.inbox() + "/" + key.id();
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
        if (facts.add(key.get())) {
            missing.put(
                    key.get(),
                    RseEvent.of(
                            event.ts(),
                            event.type(),
                            event.lane(),
                            event.actor(),
                            event.data().put("recovered", true)));
        }
    }
}
