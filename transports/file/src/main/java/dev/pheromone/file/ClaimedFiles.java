package dev.pheromone.file;

import dev.pheromone.Actor;
import dev.pheromone.ContentHash;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.EnvelopeId;
import dev.pheromone.EnvelopeText;
import dev.pheromone.Header;
import dev.pheromone.Json;
import dev.pheromone.MalformedEnvelopeException;
import dev.pheromone.Outcome;
import dev.pheromone.Settlement.Confirmation;
import dev.pheromone.State;
import dev.pheromone.Urgency;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Publication;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.rse.RseEvent.RsmEnvelopeReturn.Reason;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The envelopes that somebody works on, and the two ways out of that: finished, or back to the
/// inbox.
///
/// Each way has one step that only one process can win, and every step can be repeated by whoever
/// finds it half done.
final class ClaimedFiles {

    private static final String FINISHED_BEFORE = "finished before";

    private final Disk files;
    private final HiveLayout layout;
    private final SeenSet seen;
    private final History history;
    private final Inspector inspector;
    private final Archive archive;
    private final Marks marks;
    private final Leftovers leftovers;
    private final TimeCheck clock;
    private final FileLimits limits;
    private final int attemptsMax;

    ClaimedFiles(
            Disk files,
            HiveLayout layout,
            SeenSet seen,
            History history,
            Inspector inspector,
            Leftovers leftovers,
            TimeCheck clock,
            FileLimits limits,
            int attemptsMax) {
        this.files = files;
        this.layout = layout;
        this.seen = seen;
        this.history = history;
        this.inspector = inspector;
        this.archive = new Archive(files, layout);
        this.marks = new Marks(files, layout);
        this.leftovers = leftovers;
        this.clock = clock;
        this.limits = limits;
        this.attemptsMax = attemptsMax;
    }

    /// Asks whether a clock is doubted.
    interface TimeCheck {
        boolean isDoubted(Instant now) throws IOException;
    }

    /// Whether to take this claim back now would end its mail by a clock that is doubted.
    boolean wouldEndInDoubt(ClaimName claim, Instant now) throws IOException {
        return claim.attempt() >= attemptsMax && clock.isDoubted(now);
    }

    Path path(Domain domain, ClaimName claim) {
        return layout.active(domain).resolve(claim.fileName());
    }

    /// The claims in force or overdue; names that are none of ours are passed over.
    List<ClaimName> list(Domain domain) throws IOException {
        return ClaimName.list(files, layout.active(domain));
    }

    /// The claims that somebody began to give back.
    List<ReturnName> returning(Domain domain) throws IOException {
        return ReturnName.list(files, layout.returning(domain));
    }

    /// Removes the name of a claim if a power cut brought it back after the claim had ended; says
    /// whether it did.
    boolean removeLeftover(Domain domain, ClaimName claim) throws IOException {
        if (!leftovers.isLeftover(domain, claim)) {
            return false;
        }
        try {
            files.remove(path(domain, claim));
        } catch (NoSuchFileException e) {
            // Its holder, or another reader, was faster.
        }
        return true;
    }

    /// Fails if the claim's name is only a leftover, which it removes.
    ///
    /// @throws NoSuchFileException if the claim is not in force any more
    void requireInForce(Domain domain, ClaimName claim) throws IOException {
        if (removeLeftover(domain, claim)) {
            throw new NoSuchFileException(path(domain, claim).toString());
        }
    }

    /// Ends the claim for good in `state`. The moment of truth is the seen-set's link: before it
    /// nothing has happened, after it the claim has ended whatever else fails, and whoever comes by
    /// does the rest. If another copy was finished first, this one is a duplicate.
    ///
    /// @throws NoSuchFileException if the claim is not in force any more
    Finish finish(Domain domain, ClaimName claim, State state, String note, Instant now)
            throws IOException {
        requireInForce(domain, claim);
        Path file = path(domain, claim);
        Content content = contentOf(file);
        tellOutcome(domain, claim, state, note, now);
        Optional<Confirmation> confirmation = seen.commit(domain, claim.id(), content.hash(), file);
        if (confirmation.isEmpty()) {
            return repeated(domain, claim, file, content.header(), now);
        }
        try {
            putAway(domain, claim, file, state, now);
        } catch (IOException e) {
            // It is finished; only its file is still where it was.
        }
        return new Finish(state, note, history.self(), content.header(), confirmation.get());
    }

    /// Without its history work that was done is done all the same: silence is taken for that.
    private void tellOutcome(Domain domain, ClaimName claim, State state, String note, Instant now)
            throws IOException {
        try {
            history.outcome(domain, claim, state, note, now);
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            if (state != State.DONE) {
                throw e;
            }
        }
    }

    /// Ends a claim whose like was finished while it was in force.
    private Finish repeated(
            Domain domain, ClaimName claim, Path file, @Nullable Header header, Instant now)
            throws IOException {
        history.outcome(domain, claim, State.DUPLICATE, FINISHED_BEFORE, now);
        putAway(domain, claim, file, State.DUPLICATE, now);
        return new Finish(
                State.DUPLICATE, FINISHED_BEFORE, history.self(), header, Confirmation.ON_DISK);
    }

    /// How a claim ended for good, and who ended it.
    record Finish(
            State state,
            String note,
            Actor by,
            @Nullable Header header,
            Confirmation confirmation) {}

    /// Archives the file of a claim on which no work has begun, without a trace in the seen-set:
    /// its content was never accepted as what it says it is.
    Finish reject(Domain domain, ClaimName claim, State state, String note, Instant now)
            throws IOException {
        Path file = path(domain, claim);
        @Nullable Header header = contentOf(file).header();
        history.outcome(domain, claim, state, note, now);
        archive.store(domain, state, claim.id().text(), file, now);
        return new Finish(state, note, history.self(), header, Confirmation.ON_DISK);
    }

    Marks marks() {
        return marks;
    }

    /// The header of what is claimed; null if that can't be read.
    @Nullable Header headerOf(Domain domain, ClaimName claim) throws IOException {
        return contentOf(path(domain, claim)).header();
    }

    /// Takes back the mark of work in progress.
    void withdraw(Domain domain, ClaimName claim) throws IOException {
        marks.remove(domain, claim, path(domain, claim));
    }

    /// The mark goes first: while the claim is still here nobody takes the mark for a stale one,
    /// and later it might be another's.
    private void putAway(Domain domain, ClaimName claim, Path file, State state, Instant now)
            throws IOException {
        marks.remove(domain, claim, file);
        archive.store(domain, state, claim.id().text(), file, now);
    }

    /// How a claim came back, or that it was over already, and who gave it back or had ended it.
    record Return(
            State state,
            Reason reason,
            String note,
            Duration pause,
            Actor by,
            @Nullable Header header) {}

    /// Takes the claim from whoever holds it and puts its envelope back into the inbox, or into the
    /// archive if it was finished, is expired or had its last attempt.
    ///
    /// @throws NoSuchFileException if the claim is not in force any more
    Return giveBack(Domain domain, ClaimName claim, Reason reason, String note, Instant now)
            throws IOException {
        ReturnName name = beginReturn(domain, claim, reason);
        return completeReturn(domain, name, reason, history.self(), note, Duration.ZERO, now);
    }

    /// Gives a claim back that nobody is to take for a while, though it does not count.
    Return release(Domain domain, ClaimName claim, Outcome.Released outcome, Instant now)
            throws IOException {
        ReturnName name = beginReturn(domain, claim, Reason.RELEASED);
        return completeReturn(
                domain,
                name,
                Reason.RELEASED,
                history.self(),
                outcome.note(),
                outcome.pause(),
                now);
    }

    private ReturnName beginReturn(Domain domain, ClaimName claim, Reason reason)
            throws IOException {
        requireInForce(domain, claim);
        // Before anything moves: under a lock on where it is told or where it goes, it is held on.
        files.require(layout.history(domain, claim.id().text()), Access.WRITE);
        files.require(layout.mail(domain, claim.id()), Access.WRITE);
        files.createFolder(layout.returning(domain));
        ReturnName name = new ReturnName(claim, reason);
        // One winner; from here on the holder can't finish it.
        files.rename(path(domain, claim), layout.returning(domain).resolve(name.fileName()));
        return name;
    }

    /// The rest of a return whose first step was made, by us or by a process that died then.
    ///
    /// @param releasedFor the pause if it does not count
    private Return completeReturn(
            Domain domain,
            ReturnName name,
            Reason reason,
            Actor by,
            String note,
            Duration releasedFor,
            Instant now)
            throws IOException {
        ClaimName claim = name.claim();
        Path file = layout.returning(domain).resolve(name.fileName());
        Content content = contentOf(file);
        Header header = content.header();
        if (seen.ask(domain, claim.id(), content.hash()) == SeenSet.Answer.SAME) {
            Committed committed = committed(domain, claim, content.hash(), file);
            putAway(domain, claim, file, committed.state(), now);
            return new Return(
                    committed.state(),
                    reason,
                    FINISHED_BEFORE,
                    Duration.ZERO,
                    committed.by(),
                    header);
        }
        boolean counts = reason != Reason.RELEASED;
        if (counts && claim.attempt() >= attemptsMax) {
            String why =
                    "attempt "
                            + claim.attempt()
                            + " of "
                            + attemptsMax
                            + " failed"
                            + (note.isEmpty() ? "" : ": " + note);
            history.outcome(domain, claim, State.DEAD, why, now);
            if (seen.commit(domain, claim.id(), content.hash(), file).isEmpty()) {
                Finish finish = repeated(domain, claim, file, header, now);
                return new Return(finish.state(), reason, finish.note(), Duration.ZERO, by, header);
            }
            putAway(domain, claim, file, State.DEAD, now);
            return new Return(State.DEAD, reason, why, Duration.ZERO, by, header);
        }
        if (header != null && isExpired(domain, header, now) && !clock.isDoubted(now)) {
            history.outcome(domain, claim, State.EXPIRED, note, now);
            putAway(domain, claim, file, State.EXPIRED, now);
            return new Return(State.EXPIRED, reason, note, Duration.ZERO, by, header);
        }
        Duration pause = counts ? limits.pauseAfter(claim.attempt()) : releasedFor;
        // Before the mail is back, so that nobody takes it during its pause.
        try {
            history.returned(domain, claim, reason, note, pause, now);
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            // Without its history it comes back too early; without its file it would not come back.
        }
        State state = backToInbox(domain, claim, file, now);
        return new Return(state, reason, note, pause, by, header);
    }

    /// The rest of a return that another process began; empty if the envelope was back already.
    Optional<Return> resumeReturn(Domain domain, ReturnName name, Instant now) throws IOException {
        ClaimName claim = name.claim();
        Path file = layout.returning(domain).resolve(name.fileName());
        Optional<Json.Obj> told = history.read(domain, claim.id().text()).returnOf(claim.token());
        if (isBackAlready(domain, claim, file)
                || (told.isPresent() && isFinishedSince(domain, claim, file))
                || archive.has(domain, claim.id().text(), file)) {
            files.remove(file);
            return Optional.empty();
        }
        // A name without a reason may be that of a writer that tells it only there.
        Reason reason =
                name.reason() == Reason.LEASE
                        ? told.flatMap(History::reasonOf).orElse(Reason.LEASE)
                        : name.reason();
        Actor by = told.flatMap(History::actorOf).orElse(claim.worker());
        return Optional.of(completeReturn(domain, name, reason, by, "", Duration.ZERO, now));
    }

    /// Whether the same file has a name in the inbox again, or was even claimed from there. The
    /// claim that comes back here counts for nothing, nor does one that came back earlier: their
    /// names are leftovers.
    private boolean isBackAlready(Domain domain, ClaimName claim, Path file) throws IOException {
        if (marks.isSameFile(layout.mail(domain, claim.id()), file)) {
            return true;
        }
        for (ClaimName other : list(domain)) {
            if (other.id().equals(claim.id())
                    && !other.equals(claim)
                    && marks.isSameFile(path(domain, other), file)
                    && !leftovers.cameBack(domain, other)) {
                return true;
            }
        }
        return false;
    }

    /// Whether the same file has come to its end. That a claim comes back is told only if it had
    /// not ended, so what was told to come back and has ended was back in between.
    private boolean isFinishedSince(Domain domain, ClaimName claim, Path file) throws IOException {
        return marks.isSameFile(seen.path(domain, claim.id(), contentOf(file).hash()), file);
    }

    private boolean isExpired(Domain domain, Header header, Instant now) throws IOException {
        Instant firstSeen = history.read(domain, header.id().text()).firstSeen();
        Instant seenOrSent = firstSeen == null ? header.ts() : firstSeen;
        return !now.isBefore(Urgency.expiresAt(header.ts(), seenOrSent, header.ttl().duration()));
    }

    private State backToInbox(Domain domain, ClaimName claim, Path file, Instant now)
            throws IOException {
        Path mail = layout.mail(domain, claim.id());
        // Before it is back: from then on the mark may be the next holder's.
        marks.remove(domain, claim, file);
        if (new Publication(files).link(file, mail) == Publication.Result.OTHER) {
            // It was sent again while it was away: the copy in the inbox lives on.
            State state = isSameMail(file, mail) ? State.DUPLICATE : State.CONFLICT;
            putAway(domain, claim, file, state, now);
            return state;
        }
        files.remove(file);
        return State.WAITING;
    }

    private boolean isSameMail(Path file, Path mail) throws IOException {
        try {
            Envelope envelope = Envelope.parse(files.read(file, EnvelopeText.ENVELOPE_BYTES_MAX));
            return inspector.compare(envelope, mail) != Publication.Likeness.OTHER;
        } catch (MalformedEnvelopeException e) {
            return false;
        }
    }

    /// Archives a claim that the seen-set knows as finished, but whose file still lies here.
    ///
    /// @throws NoSuchFileException if the claim is not in force any more: the archive may have it
    Finish completeFinish(Domain domain, ClaimName claim, Instant now) throws IOException {
        requireInForce(domain, claim);
        Path file = path(domain, claim);
        Content content = contentOf(file);
        Committed committed = committed(domain, claim, content.hash(), file);
        putAway(domain, claim, file, committed.state(), now);
        return new Finish(
                committed.state(),
                committed.note(),
                committed.by(),
                content.header(),
                Confirmation.ON_DISK);
    }

    /// How a claim that the seen-set knows had ended, and who had said so.
    private record Committed(State state, String note, Actor by) {}

    /// What the claim's holder said before it committed. Silence means done: only the others are
    /// always told first. What the seen-set has of another file, this one only repeats.
    private Committed committed(Domain domain, ClaimName claim, ContentHash hash, Path file)
            throws IOException {
        if (!marks.isSameFile(seen.path(domain, claim.id(), hash), file)) {
            return new Committed(State.DUPLICATE, FINISHED_BEFORE, history.self());
        }
        Optional<Json.Obj> last = history.read(domain, claim.id().text()).lastOf(claim.token());
        return new Committed(
                last.flatMap(History::stateOf).orElse(State.DONE),
                last.flatMap(step -> step.optionalText("note")).orElse(""),
                last.flatMap(History::actorOf).orElse(claim.worker()));
    }

    /// Whether the copy in `file` is itself the one that the seen-set knows as finished.
    boolean isFinished(Domain domain, Header header, Path file) throws IOException {
        return marks.isSameFile(seen.path(domain, header.id(), header.hash()), file);
    }

    /// Archives a file of no claim as the copy that it is if the seen-set knows that very file as
    /// finished; says whether it does. Its last claim has told how it ended. Events that are
    /// missing are added by recovery.
    boolean archiveFinished(Domain domain, EnvelopeId id, Path file, Instant now)
            throws IOException {
        if (!marks.isSameFile(seen.path(domain, id, contentOf(file).hash()), file)) {
            return false;
        }
        State state =
                history.read(domain, id.text()).steps().reversed().stream()
                        .flatMap(step -> History.stateOf(step).stream())
                        .filter(State::isFinal)
                        .findFirst()
                        .orElse(State.DONE);
        archive.store(domain, state, id.text(), file, now);
        return true;
    }

    boolean isFinished(Domain domain, ClaimName claim) throws IOException {
        return seen.ask(domain, claim.id(), contentOf(path(domain, claim)).hash())
                == SeenSet.Answer.SAME;
    }

    /// A claimed file's header, and the hash that it declares, which was checked when the claim was
    /// made. If the disk has spoilt the file since, there is no header, and the hash is the whole
    /// file's: it must be possible to be rid of it.
    private record Content(@Nullable Header header, ContentHash hash) {}

    private Content contentOf(Path file) throws IOException {
        byte[] bytes = files.read(file, EnvelopeText.ENVELOPE_BYTES_MAX);
        try {
            Header header = Header.parse(bytes, bytes.length);
            return new Content(header, header.hash());
        } catch (MalformedEnvelopeException e) {
            return new Content(null, ContentHash.of(bytes));
        }
    }
}
