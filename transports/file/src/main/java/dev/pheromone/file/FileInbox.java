package dev.pheromone.file;

import dev.pheromone.Actor;
import dev.pheromone.Claim;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.Header;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.Settlement;
import dev.pheromone.SignatureCheck;
import dev.pheromone.State;
import dev.pheromone.Urgency.Turn;
import dev.pheromone.Waiting;
import dev.pheromone.file.InboxIndex.Entry;
import dev.pheromone.file.Inspector.Sight;
import dev.pheromone.rse.RseEvent.RsmEnvelopeReturn.Reason;
import dev.pheromone.rse.RseEvent.WorkerAck.Status;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/// An inbox folder. Safe for use by several threads, and by any number of processes.
final class FileInbox implements Inbox, Closeable {

    private static final int TAG_LENGTH = 6;

    private final FileHive hive;
    private final Domain domain;
    private final InboxIndex index;
    private final PickCounter picks;
    private final Chores chores;

    FileInbox(FileHive hive, Domain domain) {
        this.hive = hive;
        this.domain = domain;
        this.index =
                new InboxIndex(
                        hive.files(),
                        hive.layout(),
                        domain,
                        hive.inspector(),
                        hive.history(),
                        hive.config(),
                        hive.limits());
        this.picks = new PickCounter(hive.files(), hive.layout().state(domain).resolve("picks"));
        this.chores = new Chores(hive, domain, index);
    }

    @Override
    public Domain domain() {
        return domain;
    }

    @Override
    public List<Waiting> waiting() throws IOException {
        Instant now = hive.now();
        synchronized (index) {
            index.refresh(now);
            return index.view(hive.layout(), now);
        }
    }

    @Override
    public void await(Duration timeout) throws IOException, InterruptedException {
        Duration bounded =
                timeout.compareTo(hive.limits().awaitMax()) > 0
                        ? hive.limits().awaitMax()
                        : timeout;
        index.await(bounded);
    }

    @Override
    public Selection select(Actor worker, Lease lease) throws IOException {
        try {
            hive.reaper().reap(domain, hive.now());
            for (int tries = 0; tries < hive.limits().selectTriesMax(); tries++) {
                Optional<Attempt> attempt = claimNext(worker, lease);
                if (attempt.isEmpty()) {
                    return new Selection.Nothing();
                }
                Optional<Claim> claim = examine(attempt.get());
                if (claim.isPresent()) {
                    return new Selection.Taken(claim.get());
                }
            }
            return new Selection.Nothing();
        } catch (WithheldException e) {
            return new Selection.Withheld(e.verdict().lock(), e.verdict().reason());
        }
    }

    /// A file that is ours since a moment ago, not yet checked.
    private record Attempt(
            ClaimName claim,
            Entry entry,
            History.Facts facts,
            Instant now,
            Turn turn,
            int waiting) {}

    /// Renames the most urgent file into our hands; empty if nothing is ready.
    private Optional<Attempt> claimNext(Actor worker, Lease lease) throws IOException {
        synchronized (index) {
            Instant now = hive.now();
            index.refresh(now);
            chores.begin();
            chores.some(now);
            while (true) {
                Turn turn = Turn.of(picks.next(), hive.config().dueTurn());
                Optional<Entry> picked = index.pick(now, turn);
                if (picked.isEmpty()) {
                    return Optional.empty();
                }
                Entry entry = picked.get();
                switch (hive.inspector().look(domain, entry.file(), now)) {
                    case Sight.Gone gone -> index.forget(entry.file());
                    case Sight.Unfinished sight -> index.postpone(entry.file(), sight);
                    case Sight.Bad sight -> {
                        index.condemn(entry.file(), sight);
                        chores.some(now);
                    }
                    case Sight.Glimpse glimpse ->
                            throw new IllegalStateException("a look reads it all: " + glimpse);
                    case Sight.Mail(var envelope, var stat) -> {
                        Optional<Attempt> attempt =
                                claim(entry, envelope, stat, worker, lease, now, turn);
                        if (attempt.isPresent()) {
                            return attempt;
                        }
                    }
                }
            }
        }
    }

    private Optional<Attempt> claim(
            Entry entry,
            Envelope envelope,
            Stat stat,
            Actor worker,
            Lease lease,
            Instant now,
            Turn turn)
            throws IOException {
        History.Facts facts = hive.history().read(domain, envelope.id().text());
        if (facts.attempts() != entry.attempts() || !envelope.id().equals(entry.header().id())) {
            // Another process had it in the meantime: its pause and its class have changed.
            Header header = Header.of(envelope);
            index.update(
                    new Entry(
                            entry.file(),
                            header,
                            index.urgency(header, stat, facts),
                            facts.attempts()),
                    now);
            return Optional.empty();
        }
        ClaimName claim =
                new ClaimName(
                        envelope.id(),
                        facts.attempts() + 1,
                        worker,
                        now.truncatedTo(ChronoUnit.MILLIS),
                        lease.duration(),
                        lease.kind() == Lease.Kind.ATTENDED
                                ? hive.attendance().name() + Tags.random(TAG_LENGTH)
                                : "c" + Tags.random(TAG_LENGTH));
        hive.files().createFolder(hive.layout().active(domain));
        try {
            hive.files().rename(entry.file(), hive.claims().path(domain, claim));
        } catch (NoSuchFileException e) {
            index.forget(entry.file());
            return Optional.empty();
        }
        int waiting = index.size();
        index.forget(entry.file());
        picks.advance();
        return Optional.of(new Attempt(claim, entry, facts, now, turn, waiting));
    }

    /// Reads the claimed file once more, now that nobody else moves it, and acts on those bytes
    /// only.
    private Optional<Claim> examine(Attempt attempt) throws IOException {
        ClaimName name = attempt.claim();
        Instant now = attempt.now();
        if (attempt.facts().firstSeen() == null) {
            hive.history()
                    .firstSeen(domain, name.id().text(), attempt.entry().urgency().firstSeen());
        }
        hive.history().claimed(domain, name);
        Path file = hive.claims().path(domain, name);
        switch (hive.inspector().look(domain, file, now)) {
            case Sight.Mail(var envelope, var stat) -> {
                return envelope.id().equals(name.id())
                        ? accept(attempt, envelope, file)
                        : reject(
                                name,
                                State.DEAD,
                                "the file was replaced while it was being claimed",
                                now);
            }
            case Sight.Unfinished(var reason) -> {
                return reject(name, State.DEAD, reason, now);
            }
            case Sight.Bad(var reason, var id) -> {
                return reject(name, State.DEAD, reason, now);
            }
            case Sight.Gone gone -> {
                return Optional.empty();
            }
            case Sight.Glimpse glimpse ->
                    throw new IllegalStateException("a look reads it all: " + glimpse);
        }
    }

    private Optional<Claim> accept(Attempt attempt, Envelope envelope, Path file)
            throws IOException {
        ClaimName name = attempt.claim();
        Instant now = attempt.now();
        if (!hive.addresses().isAddressed(envelope.to(), domain)) {
            return reject(
                    name, State.DEAD, "misaddressed: nobody in \"to\" is " + domain.address(), now);
        }
        if (attempt.entry().urgency().isAbsurd()) {
            return reject(
                    name,
                    State.DEAD,
                    "ts: found " + envelope.ts() + ", more than a day ahead",
                    now);
        }
        SignatureCheck signature = hive.checkSignature(envelope, now);
        if (signature instanceof SignatureCheck.Bad(var reason)) {
            return reject(name, State.DEAD, "signature: " + reason, now);
        }
        switch (hive.seen().ask(domain, envelope.id(), envelope.hash())) {
            case SAME -> {
                return reject(name, State.DUPLICATE, "it was finished before", now);
            }
            case OTHER_CONTENT -> {
                return reject(
                        name,
                        State.CONFLICT,
                        "an envelope of this id and other content was finished before",
                        now);
            }
            case NEW -> {}
        }
        Optional<ClaimName> rival = hive.claims().begin(domain, name);
        if (rival.isPresent()) {
            return hive.inspector().compare(envelope, hive.claims().path(domain, rival.get()))
                            == Inspector.Likeness.OTHER
                    ? reject(
                            name,
                            State.CONFLICT,
                            "an envelope of this id and other content is being worked on",
                            now)
                    : reject(name, State.DUPLICATE, "it is being worked on already", now);
        }
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
                        attempt.entry().urgency().rationale(attempt.turn(), attempt.waiting(), now),
                        hive.layout().nameOf(file));
        hive.journal().claimed(claim, attempt.facts().steps().isEmpty());
        return Optional.of(claim);
    }

    private Optional<Claim> reject(ClaimName claim, State state, String reason, Instant now)
            throws IOException {
        ClaimedFiles.Finish finish = hive.claims().reject(domain, claim, state, reason, now);
        hive.journal().ended(domain, claim.id().text(), finish.header(), state, reason, now);
        return Optional.empty();
    }

    /// Archives every expired envelope; returns how many. For the person who approves it, where
    /// that is asked for.
    int expireAll() throws IOException {
        synchronized (index) {
            index.refresh(hive.now());
            return chores.expireAll(hive.now());
        }
    }

    @Override
    public Settlement renew(String token) throws IOException {
        try {
            ClaimName claim = parse(token);
            Instant now = hive.now();
            hive.files().touch(hive.claims().path(domain, claim), now);
            return new Settlement.Renewed(now.plus(claim.lease()));
        } catch (NoSuchFileException e) {
            return lost(token);
        } catch (WithheldException e) {
            return new Settlement.Withheld(e.verdict().lock(), e.verdict().reason());
        }
    }

    @Override
    public Settlement settle(String token, Outcome outcome) throws IOException {
        try {
            return settle(parse(token), outcome, hive.now());
        } catch (NoSuchFileException e) {
            return lost(token);
        } catch (WithheldException e) {
            return new Settlement.Withheld(e.verdict().lock(), e.verdict().reason());
        }
    }

    private Settlement settle(ClaimName claim, Outcome outcome, Instant now) throws IOException {
        State state;
        if (outcome instanceof Outcome.Done(var note)) {
            ClaimedFiles.Finish finish = hive.claims().finish(domain, claim, State.DONE, note, now);
            hive.journal().acknowledged(domain, claim, finish.header(), Status.DONE, note, now);
            state = State.DONE;
        } else {
            Reason reason = outcome instanceof Outcome.Released ? Reason.RELEASED : Reason.FAILED;
            ClaimedFiles.Return result =
                    hive.claims().giveBack(domain, claim, reason, outcome.note(), now);
            hive.journal().returned(domain, claim, result, now);
            state = result.state();
        }
        return new Settlement.Settled(state, Settlement.Confirmation.ON_DISK);
    }

    private static ClaimName parse(String token) {
        return ClaimName.parse(token)
                .orElseThrow(() ->
                        new IllegalArgumentException(
                                "claim: found \""
                                        + token
                                        + "\", expected id.attempt.worker.claimed.lease.tag as"
                                        + " select gave it"));
    }

    /// A claim that is gone was either ended by its own holder, which may ask twice, or taken from
    /// it.
    private Settlement lost(String token) throws IOException {
        ClaimName claim = parse(token);
        boolean done =
                hive.history()
                                .read(domain, claim.id().text())
                                .lastOf(token)
                                .flatMap(step -> step.optionalText("status"))
                                .filter(State.DONE.toString()::equals)
                                .isPresent()
                        && hive.seen().contains(domain, claim.id());
        return done
                ? new Settlement.Settled(State.DONE, Settlement.Confirmation.ON_DISK)
                : new Settlement.Lost("claim " + token + " is not in force any more");
    }

    @Override
    public void close() throws IOException {
        index.close();
    }
}
