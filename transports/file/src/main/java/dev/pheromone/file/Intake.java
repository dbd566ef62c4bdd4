package dev.pheromone.file;

import dev.pheromone.Claim;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Publication;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.copy.ClaimName;
import dev.pheromone.file.copy.ClaimedFiles;
import dev.pheromone.file.copy.History;
import dev.pheromone.file.copy.InboxIndex.Entry;
import dev.pheromone.file.copy.Inspector.Sight;
import dev.pheromone.file.copy.SeenSet;
import dev.pheromone.life.Acceptance;
import dev.pheromone.life.Life;
import dev.pheromone.life.Resend.Likeness;
import dev.pheromone.life.Why;
import dev.pheromone.rse.RseEvent.RsmEnvelopeReturn.Reason;
import dev.pheromone.selection.Urgency;
import dev.pheromone.trust.SignatureCheck;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/// Decides whether a file that was just claimed is delivered: forged, misaddressed and repeated
/// mail ends here.
final class Intake {

    private final FileHive hive;
    private final Domain domain;

    Intake(FileHive hive, Domain domain) {
        this.hive = hive;
        this.domain = domain;
    }

    /// A file that is ours since a moment ago, not yet checked.
    ///
    /// @param rationale why this one of all that wait
    record Attempt(
            ClaimName claim, Entry entry, History.Facts facts, Instant now, String rationale) {}

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
        hive.history().claimed(domain, attempt.claim(), firstSeen);
    }

    private void giveBack(Attempt attempt, IOException failure) {
        try {
            hive.claims()
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
        Path file = hive.claims().path(domain, name);
        return switch (hive.inspector().look(domain, file, attempt.now())) {
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
        SignatureCheck signature = hive.checkSignature(envelope, attempt.now());
        Optional<Acceptance.Objection> objection =
                objection(attempt.claim().id(), envelope, attempt.entry().urgency(), signature);
        if (objection.isPresent()) {
            return reject(attempt, objection.get().why(), objection.get().text());
        }
        Optional<ClaimName> rival = hive.claims().marks().begin(domain, attempt.claim());
        if (rival.isPresent()) {
            Life other = Life.held(rival.get().claim(), envelope.hash(), attempt.now());
            boolean isOther =
                    hive.inspector().compare(envelope, hive.claims().path(domain, rival.get()))
                            == Publication.Likeness.OTHER;
            return repeats(attempt, other, isOther ? Likeness.OTHER : Likeness.SAME);
        }
        // Not before the work is marked as begun: whoever finishes from now on stops us here.
        SeenSet.Answer seen = hive.seen().ask(domain, envelope.id(), envelope.hash());
        if (seen == SeenSet.Answer.NEW) {
            return Optional.of(deliver(attempt, envelope, file, signature));
        }
        hive.claims().withdraw(domain, attempt.claim());
        return repeats(
                attempt,
                Life.over(envelope.hash(), Why.DONE),
                seen == SeenSet.Answer.SAME ? Likeness.SAME : Likeness.OTHER);
    }

    /// Why this envelope is not to be delivered here, if something speaks against it.
    private Optional<Acceptance.Objection> objection(
            EnvelopeId takenAs, Envelope envelope, Urgency urgency, SignatureCheck signature) {
        return Acceptance.objections(
                        takenAs, envelope, urgency.firstSeen(), signature, domain, hive.config())
                .stream()
                .findFirst();
    }

    /// Whether the envelope would be delivered, as far as that can be told without a claim.
    boolean wouldDeliver(Envelope envelope, Urgency urgency, Instant now) throws IOException {
        SignatureCheck signature = hive.checkSignature(envelope, now);
        return objection(envelope.id(), envelope, urgency, signature).isEmpty()
                && hive.seen().ask(domain, envelope.id(), envelope.hash()) == SeenSet.Answer.NEW;
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
                        hive.layout().nameOf(file));
        // If the first holder died before it told anybody, recovery tells that it received it.
        boolean first = name.attempt() == 1 && attempt.facts().firstSeen() == null;
        hive.journal().claimed(claim, first);
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
                hive.claims().reject(domain, claim, why, reason, attempt.now());
        hive.journal().took(domain, claim, result, attempt.now());
        return Optional.empty();
    }
}
