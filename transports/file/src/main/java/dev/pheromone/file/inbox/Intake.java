package dev.pheromone.file.inbox;

import dev.pheromone.Claim;
import dev.pheromone.HiveConfig;
import dev.pheromone.Lease;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Publication;
import dev.pheromone.disk.Tags;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.copy.Attendance;
import dev.pheromone.file.copy.ClaimName;
import dev.pheromone.file.copy.ClaimedFiles;
import dev.pheromone.file.copy.Copies;
import dev.pheromone.file.copy.History;
import dev.pheromone.file.copy.InboxIndex.Entry;
import dev.pheromone.file.copy.Inspector.Sight;
import dev.pheromone.file.copy.SeenSet;
import dev.pheromone.guard.Access;
import dev.pheromone.life.Acceptance;
import dev.pheromone.life.ClaimToken;
import dev.pheromone.life.Life;
import dev.pheromone.life.Resend.Likeness;
import dev.pheromone.life.Why;
import dev.pheromone.rse.RseEvent.RsmEnvelopeReturn.Reason;
import dev.pheromone.selection.Urgency;
import dev.pheromone.trust.SignatureCheck;
import dev.pheromone.trust.TrustList;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/// Claims a waiting file, and decides whether it is delivered: forged, misaddressed and repeated
/// mail ends here.
final class Intake {

    private static final int TAG_LENGTH = 6;

    private final Domain domain;
    private final Disk files;
    private final HiveLayout layout;
    private final HiveConfig config;
    private final TrustList trust;
    private final Copies copies;
    private final Attendance attendance;

    Intake(
            Domain domain,
            Disk files,
            HiveLayout layout,
            HiveConfig config,
            TrustList trust,
            Copies copies,
            Attendance attendance) {
        this.domain = domain;
        this.files = files;
        this.layout = layout;
        this.config = config;
        this.trust = trust;
        this.copies = copies;
        this.attendance = attendance;
    }

    /// A file that is ours since a moment ago, not yet checked.
    ///
    /// @param rationale why this one of all that wait
    record Attempt(
            ClaimName claim, Entry entry, History.Facts facts, Instant now, String rationale) {}

    /// What happened to an envelope before. Withheld if its history can't be written: what a lock
    /// keeps from being counted is not begun.
    History.Facts historyToContinue(EnvelopeId id) throws IOException {
        files.require(layout.history(domain, id.text()), Access.WRITE);
        return copies.history().read(domain, id.text());
    }

    /// The name of a new claim of `worker`.
    ClaimName newClaim(EnvelopeId id, int attempt, Actor worker, Lease lease, Instant now)
            throws IOException {
        String tag =
                lease.kind() == Lease.Kind.ATTENDED
                        ? attendance.name() + Tags.random(TAG_LENGTH)
                        : "c" + Tags.random(TAG_LENGTH);
        return new ClaimName(new ClaimToken(id, attempt, worker, now, lease.duration(), tag));
    }

    /// Renames a waiting file into the hands of whoever claims it.
    ///
    /// @throws NoSuchFileException if somebody else took the file just now
    void take(Path file, ClaimName claim) throws IOException {
        files.renameInto(layout.active(domain), file, copies.claims().path(domain, claim));
    }

    /// The claim, if its envelope is to be worked on. Reads the file once more, now that nobody
    /// else moves it, and acts on those bytes only. If the disk fails, the file goes back.
    Optional<Claim> examine(Attempt attempt) throws IOException {
        try {
            record(attempt);
            return decide(attempt);
        } catch (IOException e) {
            giveBack(attempt, e);
            throw e;
        }
    }

    /// Work that is not counted is not begun: it could fail for ever, without a pause.
    private void record(Attempt attempt) throws IOException {
        boolean isKnown = attempt.facts().firstSeen() != null;
        Instant firstSeen = isKnown ? null : attempt.entry().urgency().firstSeen();
        copies.history().claimed(domain, attempt.claim(), firstSeen);
    }

    private void giveBack(Attempt attempt, IOException failure) {
        try {
            copies.claims()
                    .giveBack(
                            domain,
                            attempt.claim(),
                            Reason.RELEASED,
                            "the disk failed: " + failure.getMessage(),
                            attempt.now());
        } catch (IOException alsoFailed) {
            failure.addSuppressed(alsoFailed);
        }
    }

    private Optional<Claim> decide(Attempt attempt) throws IOException {
        ClaimName name = attempt.claim();
        Path file = copies.claims().path(domain, name);
        return switch (copies.inspector().look(domain, file, attempt.now())) {
            case Sight.Mail(var envelope, var _) -> check(attempt, envelope, file);
            case Sight.Unfinished(var reason) -> reject(attempt, Why.UNREADABLE, reason);
            case Sight.Bad(var reason, var _) -> reject(attempt, Why.UNREADABLE, reason);
            case Sight.Gone _ -> Optional.empty();
            case Sight.Glimpse glimpse ->
                    throw new IllegalStateException("a look reads it all: " + glimpse);
        };
    }

    /// Who it is from and for comes before what it repeats: a forged copy must not pass for, or get
    /// in the way of, the real one.
    private Optional<Claim> check(Attempt attempt, Envelope envelope, Path file)
            throws IOException {
        SignatureCheck signature = checkSignature(envelope, attempt.now());
        Optional<Acceptance.Objection> objection =
                objection(attempt.claim().id(), envelope, attempt.entry().urgency(), signature);
        if (objection.isPresent()) {
            return reject(attempt, objection.get().why(), objection.get().text());
        }
        Optional<ClaimName> rival = copies.claims().marks().begin(domain, attempt.claim());
        if (rival.isPresent()) {
            Life other = Life.held(rival.get().claim(), envelope.hash(), attempt.now());
            boolean isOther =
                    copies.inspector().compare(envelope, copies.claims().path(domain, rival.get()))
                            == Publication.Likeness.OTHER;
            return repeats(attempt, other, isOther ? Likeness.OTHER : Likeness.SAME);
        }
        // Not before the work is marked as begun: whoever finishes from now on stops us here.
        SeenSet.Answer seen = copies.seen().ask(domain, envelope.id(), envelope.hash());
        if (seen == SeenSet.Answer.NEW) {
            return Optional.of(deliver(attempt, envelope, file, signature));
        }
        copies.claims().withdraw(domain, attempt.claim());
        return repeats(
                attempt,
                Life.over(envelope.hash(), Why.DONE),
                seen == SeenSet.Answer.SAME ? Likeness.SAME : Likeness.OTHER);
    }

    private SignatureCheck checkSignature(Envelope envelope, Instant now) {
        return trust.check(envelope, now, config.signatures());
    }

    /// Why this envelope is not to be delivered here, if something speaks against it.
    private Optional<Acceptance.Objection> objection(
            EnvelopeId takenAs, Envelope envelope, Urgency urgency, SignatureCheck signature) {
        return Acceptance.objections(
                        takenAs, envelope, urgency.firstSeen(), signature, domain, config)
                .stream()
                .findFirst();
    }

    /// Whether the file of `entry` would be delivered, as far as that can be told without a claim.
    boolean wouldDeliver(Entry entry, Instant now) throws IOException {
        if (!(copies.inspector().look(domain, entry.file(), now)
                        instanceof Sight.Mail(var envelope, var _))
                || copies.leftovers().hasGoneOn(domain, envelope.id(), entry.file())) {
            return false;
        }
        SignatureCheck signature = checkSignature(envelope, now);
        return objection(envelope.id(), envelope, entry.urgency(), signature).isEmpty()
                && copies.seen().ask(domain, envelope.id(), envelope.hash()) == SeenSet.Answer.NEW;
    }

    private Claim deliver(Attempt attempt, Envelope envelope, Path file, SignatureCheck signature) {
        ClaimName name = attempt.claim();
        Claim claim =
                new Claim(
                        name.token(),
                        envelope,
                        domain,
                        name.worker(),
                        name.attempt(),
                        name.claimedAt(),
                        name.claimedAt().plus(name.lease()),
                        signature,
                        attempt.rationale(),
                        layout.nameOf(file));
        // If the first holder died before it told anybody, recovery tells that it received it.
        boolean first = name.attempt() == 1 && attempt.facts().firstSeen() == null;
        copies.journal().claimed(claim, first);
        return claim;
    }

    /// Ends a copy of whose id `other` is known.
    private Optional<Claim> repeats(Attempt attempt, Life other, Likeness likeness)
            throws IOException {
        Why why = Objects.requireNonNull(other.rules(likeness));
        return reject(attempt, why, why.text());
    }

    private Optional<Claim> reject(Attempt attempt, Why why, String reason) throws IOException {
        ClaimName claim = attempt.claim();
        ClaimedFiles.Result result =
                copies.claims().reject(domain, claim, why, reason, attempt.now());
        copies.journal().took(domain, claim, result, attempt.now());
        return Optional.empty();
    }
}
