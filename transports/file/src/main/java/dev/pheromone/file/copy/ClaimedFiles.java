package dev.pheromone.file.copy;

import dev.pheromone.Outcome;
import dev.pheromone.Settlement.Confirmation;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Publication;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.envelope.Header;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.life.Life;
import dev.pheromone.life.LifeLimits;
import dev.pheromone.life.Resend.Likeness;
import dev.pheromone.life.Step;
import dev.pheromone.life.Step.Closing;
import dev.pheromone.life.Term;
import dev.pheromone.life.Why;
import dev.pheromone.rse.RseEvent.RsmEnvelopeReturn.Reason;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// The envelopes that somebody works on, and the two ways out of that: finished, or back to the
/// inbox.
///
/// Each way has one step that only one process can win, and every step can be repeated by whoever
/// finds it half done.
public final class ClaimedFiles {

    private final Disk files;
    private final HiveLayout layout;
    private final SeenSet seen;
    private final History history;
    private final Inspector inspector;
    private final Archive archive;
    private final Marks marks;
    private final Leftovers leftovers;
    private final ClockDoubt clock;
    private final LifeLimits limits;

    ClaimedFiles(
            Disk files,
            HiveLayout layout,
            SeenSet seen,
            History history,
            Inspector inspector,
            Leftovers leftovers,
            ClockDoubt clock,
            LifeLimits limits) {
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
    }

    /// Whether to take this claim back now would end its mail by a clock that is doubted.
    public boolean wouldEndInDoubt(ClaimName claim, Instant now) throws IOException {
        return limits.isLast(claim.attempt()) && clock.isDoubted(now);
    }

    public Path path(Domain domain, ClaimName claim) {
        return layout.active(domain).resolve(claim.fileName());
    }

    /// The claims in force or overdue; names that are none of ours are passed over.
    public List<ClaimName> list(Domain domain) throws IOException {
        return ClaimName.list(files, layout.active(domain));
    }

    /// The claims that somebody began to give back.
    public List<ReturnName> returning(Domain domain) throws IOException {
        return ReturnName.list(files, layout.returning(domain));
    }

    /// Removes the name of a claim if a power cut brought it back after the claim had ended; says
    /// whether it did.
    public boolean removeLeftover(Domain domain, ClaimName claim) throws IOException {
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
    public void requireInForce(Domain domain, ClaimName claim) throws IOException {
        if (removeLeftover(domain, claim)) {
            throw new NoSuchFileException(path(domain, claim).toString());
        }
    }

    /// What became of a claim, and whose word that was.
    public record Result(Step step, Actor by, @Nullable Header header, Confirmation confirmation) {

        Result(Step step, Actor by, @Nullable Header header) {
            this(step, by, header, Confirmation.ON_DISK);
        }

        public State state() {
            return step.life().state();
        }
    }

    /// Ends the claim as done. The moment of truth is the seen-set's link: before it nothing has
    /// happened, after it the claim has ended whatever else fails, and whoever comes by does the
    /// rest. If another copy was finished first, this one is a duplicate.
    ///
    /// @throws NoSuchFileException if the claim is not in force any more
    public Result finish(Domain domain, ClaimName claim, String note, Instant now)
            throws IOException {
        requireInForce(domain, claim);
        Path file = path(domain, claim);
        Content content = contentOf(file);
        Life life = Life.held(claim.claim(), content.hash(), now);
        Step step = life.closed(Closing.DONE, note, Duration.ZERO, Term.ENDLESS, now, limits);
        try (Disk.Handle open = files.open(file)) {
            tellDone(domain, claim, note, now);
            Optional<Path> finished = seen.commitUnforced(domain, claim.id(), content.hash(), file);
            if (finished.isEmpty()) {
                return repeated(domain, claim, life, file, content.header(), now);
            }
            Confirmation confirmation = forceName(open, finished.get());
            try {
                marks.remove(domain, claim, file);
                Path stored =
                        archive.storeUnforced(domain, State.DONE, claim.id().text(), file, now);
                // If a power cut takes this name, the file is where it was, and known as finished.
                files.syncNamesOfForced(folderOf(stored));
            } catch (IOException e) {
                // It is finished; only its file is still where it was.
            }
            return new Result(step, history.self(), content.header(), confirmation);
        }
    }

    /// Forces an open file together with the name that it was just given.
    private Confirmation forceName(Disk.Handle open, Path name) {
        try {
            open.force();
            files.syncNamesOfForced(folderOf(name));
            return Confirmation.ON_DISK;
        } catch (IOException e) {
            // The name is there, so that the copy is finished; a power cut may undo it.
            return Confirmation.UNKNOWN;
        }
    }

    private static Path folderOf(Path file) {
        return Objects.requireNonNull(file.getParent());
    }

    /// Without its history work that was done is done all the same: silence is taken for that.
    private void tellDone(Domain domain, ClaimName claim, String note, Instant now)
            throws IOException {
        try {
            history.outcome(domain, claim, State.DONE, note, now);
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            // Silence.
        }
    }

    /// Ends a claim whose like was finished while it was in force.
    private Result repeated(
            Domain domain,
            ClaimName claim,
            Life life,
            Path file,
            @Nullable Header header,
            Instant now)
            throws IOException {
        Why why = Why.SAME_FINISHED;
        history.outcome(domain, claim, why.state(), why.text(), now);
        putAway(domain, claim, file, why.state(), now);
        return new Result(life.ended(why, why.text()), history.self(), header);
    }

    /// Archives the file of a claim on which no work has begun, without a trace in the seen-set:
    /// its content was never accepted as what it says it is.
    public Result reject(Domain domain, ClaimName claim, Why why, String reason, Instant now)
            throws IOException {
        Path file = path(domain, claim);
        Content content = contentOf(file);
        history.outcome(domain, claim, why.state(), reason, now);
        archive.store(domain, why.state(), claim.id().text(), file, now);
        Life life = Life.held(claim.claim(), content.hash(), now);
        return new Result(life.ended(why, reason), history.self(), content.header());
    }

    public Marks marks() {
        return marks;
    }

    /// The step of a holder who says that the work is taken on, once the lease is renewed.
    public Result accepted(Domain domain, ClaimName claim, String note, Instant now)
            throws IOException {
        Content content = contentOf(path(domain, claim));
        Life life = Life.held(claim.claim(), content.hash(), now);
        return new Result(
                new Step.Accepted(life, claim.attempt(), note), history.self(), content.header());
    }

    /// Takes back the mark of work in progress.
    public void withdraw(Domain domain, ClaimName claim) throws IOException {
        marks.remove(domain, claim, path(domain, claim));
    }

    /// The mark goes first: while the claim is still here nobody takes the mark for a stale one,
    /// and later it might be another's.
    private void putAway(Domain domain, ClaimName claim, Path file, State state, Instant now)
            throws IOException {
        marks.remove(domain, claim, file);
        archive.store(domain, state, claim.id().text(), file, now);
    }

    /// Takes the claim from whoever holds it and puts its envelope back into the inbox, or into the
    /// archive if it was finished, is expired or had its last attempt.
    ///
    /// @throws NoSuchFileException if the claim is not in force any more
    public Result giveBack(Domain domain, ClaimName claim, Reason reason, String note, Instant now)
            throws IOException {
        ReturnName name = beginReturn(domain, claim, reason);
        return completeReturn(domain, name, reason, history.self(), note, Duration.ZERO, now);
    }

    /// Gives a claim back that nobody is to take for a while, though it does not count.
    public Result release(Domain domain, ClaimName claim, Outcome.Released outcome, Instant now)
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
    private Result completeReturn(
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
        Closing closing = Closing.of(reason);
        if (seen.ask(domain, claim.id(), content.hash()) == SeenSet.Answer.SAME) {
            Result ended = committed(domain, claim, content, file);
            putAway(domain, claim, file, ended.state(), now);
            Life over =
                    ended.step()
                            .life()
                            .ended(endOf(ended.state()), Why.SAME_FINISHED.text())
                            .life();
            return new Result(
                    new Step.Closed(over, claim.attempt(), closing, Duration.ZERO),
                    ended.by(),
                    header);
        }
        Life life = Life.held(claim.claim(), content.hash(), firstSeen(domain, header, now));
        Step.Closed step = life.closed(closing, note, releasedFor, term(header), now, limits);
        if (step.life().state() == State.EXPIRED && clock.isDoubted(now)) {
            step = life.closed(closing, note, releasedFor, Term.ENDLESS, now, limits);
        }
        if (step.life().state().isFinal()) {
            history.outcome(domain, claim, step.life().state(), step.life().note(), now);
            if (step.life().state() == State.DEAD
                    && seen.commit(domain, claim.id(), content.hash(), file).isEmpty()) {
                Step repeated = repeated(domain, claim, life, file, header, now).step();
                return new Result(
                        new Step.Closed(repeated.life(), claim.attempt(), closing, Duration.ZERO),
                        by,
                        header);
            }
            putAway(domain, claim, file, step.life().state(), now);
            return new Result(step, by, header);
        }
        // Before the mail is back, so that nobody takes it during its pause.
        try {
            history.returned(domain, claim, reason, note, step.pause(), now);
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            // Without its history it comes back too early; without its file it would not come back.
        }
        @Nullable Why rule = backToInbox(domain, claim, file, now);
        return rule == null
                ? new Result(step, by, header)
                : new Result(
                        new Step.Closed(
                                life.ended(rule, rule.text()).life(),
                                claim.attempt(),
                                closing,
                                Duration.ZERO),
                        by,
                        header);
    }

    private static Term term(@Nullable Header header) {
        return header == null ? Term.ENDLESS : Term.of(header);
    }

    /// When a copy was first seen: without a history only its sender's word tells.
    private Instant firstSeen(Domain domain, @Nullable Header header, Instant now)
            throws IOException {
        if (header == null) {
            return now;
        }
        Instant known = history.read(domain, header.id().text()).firstSeen();
        return known == null ? header.ts() : known;
    }

    /// Why a copy that the seen-set knows, or only repeats, is over.
    private static Why endOf(State state) {
        return switch (state) {
            case DEAD -> Why.ATTEMPTS;
            case DUPLICATE -> Why.SAME_FINISHED;
            case EXPIRED -> Why.EXPIRED;
            case CONFLICT -> Why.OTHER_FINISHED;
            case WAITING, ACTIVE, DONE -> Why.DONE;
        };
    }

    /// The rest of a return that another process began; empty if the envelope was back already.
    public Optional<Result> resumeReturn(Domain domain, ReturnName name, Instant now)
            throws IOException {
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

    /// Gives the copy its name in the inbox again; the reason if another copy has that name, which
    /// was sent meanwhile and lives on: then this copy is archived.
    private @Nullable Why backToInbox(Domain domain, ClaimName claim, Path file, Instant now)
            throws IOException {
        Path mail = layout.mail(domain, claim.id());
        // Before it is back: from then on the mark may be the next holder's.
        marks.remove(domain, claim, file);
        if (new Publication(files).link(file, mail) == Publication.Result.OTHER) {
            // It was sent again while it was away: the copy in the inbox lives on.
            Life there = Life.begun(contentOf(file).hash(), now);
            Why rule = there.rules(isSameMail(file, mail) ? Likeness.SAME : Likeness.OTHER);
            putAway(domain, claim, file, Objects.requireNonNull(rule).state(), now);
            return rule;
        }
        files.remove(file);
        return null;
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
    public Result completeFinish(Domain domain, ClaimName claim, Instant now) throws IOException {
        requireInForce(domain, claim);
        Path file = path(domain, claim);
        Content content = contentOf(file);
        Result ended = committed(domain, claim, content, file);
        putAway(domain, claim, file, ended.state(), now);
        return ended;
    }

    /// How a claim that the seen-set knows had ended, and who had said so: what the claim's holder
    /// said before it committed. Silence means done: only the others are always told first. What
    /// the seen-set has of another file, this one only repeats.
    private Result committed(Domain domain, ClaimName claim, Content content, Path file)
            throws IOException {
        Life life = Life.held(claim.claim(), content.hash(), claim.claimedAt());
        if (!marks.isSameFile(seen.path(domain, claim.id(), content.hash()), file)) {
            Why why = Why.SAME_FINISHED;
            return new Result(life.ended(why, why.text()), history.self(), content.header());
        }
        Optional<Json.Obj> last = history.read(domain, claim.id().text()).lastOf(claim.token());
        State state = last.flatMap(History::stateOf).orElse(State.DONE);
        String note = last.flatMap(step -> step.optionalText("note")).orElse("");
        Life over = life.ended(endOf(state), note).life();
        return new Result(
                over.state() == State.DONE
                        ? new Step.Closed(over, claim.attempt(), Closing.DONE, Duration.ZERO)
                        : new Step.Ended(over),
                last.flatMap(History::actorOf).orElse(claim.worker()),
                content.header());
    }

    /// Whether the copy in `file` is itself the one that the seen-set knows as finished.
    public boolean isFinished(Domain domain, Header header, Path file) throws IOException {
        return marks.isSameFile(seen.path(domain, header.id(), header.hash()), file);
    }

    /// Archives a file of no claim as the copy that it is if the seen-set knows that very file as
    /// finished; says whether it does. Its last claim has told how it ended. Events that are
    /// missing are added by recovery.
    public boolean archiveFinished(Domain domain, EnvelopeId id, Path file, Instant now)
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

    public boolean isFinished(Domain domain, ClaimName claim) throws IOException {
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
