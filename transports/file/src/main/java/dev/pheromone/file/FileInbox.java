package dev.pheromone.file;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.Settlement;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.Stat;
import dev.pheromone.disk.Tags;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Header;
import dev.pheromone.file.copy.ClaimName;
import dev.pheromone.file.copy.History;
import dev.pheromone.file.copy.InboxIndex;
import dev.pheromone.file.copy.InboxIndex.Entry;
import dev.pheromone.file.copy.Inspector.Sight;
import dev.pheromone.file.copy.PickCounter;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.life.ClaimToken;
import dev.pheromone.rse.RseEvent.PolicyGuard.Mode;
import dev.pheromone.selection.Urgency.Turn;
import dev.pheromone.selection.Waiting;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
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
    private final Intake intake;
    private final InboxPressure pressure;
    private final Settling settling;

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
        this.intake = new Intake(hive, domain);
        this.pressure = hive.admission().pressure(domain);
        this.settling = new Settling(hive, domain);
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
            Turn turn = pressure.marked().isPresent() ? Turn.DRAIN : Turn.NORMAL;
            return index.view(hive.layout(), now, turn);
        }
    }

    /// Counts names: no file is opened.
    @Override
    public int depth() throws IOException {
        int depth = 0;
        try (Disk.Operation _ = hive.files().begin()) {
            for (Path file : hive.files().list(hive.layout().inbox(domain))) {
                depth += InboxIndex.isMailName(file) ? 1 : 0;
            }
        }
        return depth;
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
            Instant now = hive.now();
            boolean isAllBack = chores.bringBackIfDue(now);
            Optional<Claim> claim = takeAtOnce(worker, lease, now);
            if (claim.isPresent()) {
                return new Selection.Taken(claim.get());
            }
            if (!isAllBack) {
                chores.bringBack(now);
            }
            return takeAfterAll(worker, lease, now);
        } catch (WithheldException e) {
            hive.reports().withheld(e, Mode.BLOCKED, hive.now());
            return new Selection.Withheld(e.verdict().lock(), e.verdict().reason());
        }
    }

    /// Takes this very envelope, whatever else waits, and also while it pauses after a failure. For
    /// people, who pick; it is not counted as a pick of the inbox's own order.
    Selection take(EnvelopeId id, Actor worker, Lease lease) throws IOException {
        try {
            Instant now = hive.now();
            chores.bringBack(now);
            synchronized (index) {
                index.relist(now);
                pressure.observe(index, now);
                chores.begin();
            }
            hive.reports().free(now);
            try (Disk.Operation _ = hive.files().begin()) {
                Optional<Intake.Attempt> attempt =
                        claimNext(worker, lease, new Choice.ById(index, id));
                Optional<Claim> claim =
                        attempt.isEmpty() ? Optional.empty() : intake.examine(attempt.get());
                return claim.isPresent()
                        ? new Selection.Taken(claim.get())
                        : new Selection.Nothing();
            }
        } catch (WithheldException e) {
            hive.reports().withheld(e, Mode.BLOCKED, hive.now());
            return new Selection.Withheld(e.verdict().lock(), e.verdict().reason());
        }
    }

    /// Takes the most urgent of what is known to wait, in one pass through the gate; empty if that
    /// is none, or not known without a longer look.
    private Optional<Claim> takeAtOnce(Actor worker, Lease lease, Instant now) throws IOException {
        try (Disk.Operation _ = hive.files().begin()) {
            synchronized (index) {
                if (!index.refreshAtOnce(now)) {
                    return Optional.empty();
                }
                pressure.observe(index, now);
                chores.begin();
            }
            hive.reports().free(now);
            Optional<Intake.Attempt> attempt = claimNext(worker, lease, inTurn());
            return attempt.isEmpty() ? Optional.empty() : intake.examine(attempt.get());
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            // Whatever it is, it must not stand in the way of other mail.
            return Optional.empty();
        }
    }

    /// Takes what a listing of the folder finds. The kernel's notices take a moment: nobody is told
    /// that there is nothing while mail lies there whose sender was told that it had arrived.
    private Selection takeAfterAll(Actor worker, Lease lease, Instant now) throws IOException {
        synchronized (index) {
            index.relist(hive.now());
            pressure.observe(index, now);
            chores.begin();
        }
        hive.reports().free(now);
        @Nullable IOException failure = null;
        for (int tries = 0; tries < hive.limits().selectTriesMax(); tries++) {
            try (Disk.Operation _ = hive.files().begin()) {
                Optional<Intake.Attempt> attempt = claimNext(worker, lease, inTurn());
                if (attempt.isEmpty()) {
                    break;
                }
                Optional<Claim> claim = intake.examine(attempt.get());
                if (claim.isPresent()) {
                    return new Selection.Taken(claim.get());
                }
            } catch (WithheldException e) {
                throw e;
            } catch (IOException e) {
                // One that can't be taken does not keep the others back.
                failure = failure == null ? e : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
        return new Selection.Nothing();
    }

    /// What a selection would take now; empty if nothing is ready. As a selection does, it takes
    /// back first what others lost, but it claims nothing and clears nothing away.
    Optional<Preview> preview() throws IOException {
        Instant now = hive.now();
        hive.requireLog();
        hive.reaper().reap(domain, now);
        synchronized (index) {
            index.refresh(now);
            Turn next = Turn.of(picks.next(), hive.config().dueTurn());
            Turn turn = pressure.marked().isPresent() ? next.draining() : next;
            Mutes.View muted = hive.mutes().view(now);
            while (true) {
                Optional<Entry> picked = index.pick(now, turn);
                if (picked.isEmpty()) {
                    return Optional.empty();
                }
                Entry entry = picked.get();
                if (muted.of(entry.header().from()).isEmpty()
                        && hive.inspector().look(domain, entry.file(), now)
                                instanceof Sight.Mail(var envelope, var _)
                        && !hive.leftovers().hasGoneOn(domain, envelope.id(), entry.file())
                        && intake.wouldDeliver(envelope, entry.urgency(), now)) {
                    return Optional.of(
                            new Preview(
                                    index.mail(hive.layout(), entry),
                                    entry.urgency().rationale(turn, index.size(), now)));
                }
                // Looked at again by the next scan.
                index.forget(entry.file());
            }
        }
    }

    private Choice inTurn() {
        return new Choice.InTurn(index, picks, pressure, hive.config().dueTurn());
    }

    /// Renames the file that is chosen into our hands; empty if there is none.
    private Optional<Intake.Attempt> claimNext(Actor worker, Lease lease, Choice choice)
            throws IOException {
        synchronized (index) {
            Instant now = hive.now();
            chores.some(now);
            Mutes.View muted = hive.mutes().view(now);
            while (true) {
                Optional<Entry> picked = choice.pick(now);
                if (picked.isEmpty()) {
                    return Optional.empty();
                }
                Entry entry = picked.get();
                Optional<Mute> mute = muted.of(entry.header().from());
                if (mute.isPresent()) {
                    var _ = chores.park(entry, mute.get(), now);
                    continue;
                }
                switch (hive.inspector().look(domain, entry.file(), now)) {
                    case Sight.Gone gone -> index.forget(entry.file());
                    case Sight.Unfinished sight -> index.postpone(entry.file(), sight);
                    case Sight.Bad sight -> {
                        index.condemn(entry.file(), sight);
                        chores.some(now);
                    }
                    case Sight.Glimpse glimpse ->
                            throw new IllegalStateException("a look reads it all: " + glimpse);
                    case Sight.Mail(var _, var stat)
                            when stat.links() > 1 && chores.clearLeftover(entry, now) -> {}
                    case Sight.Mail(var envelope, var stat) -> {
                        Optional<Intake.Attempt> attempt =
                                claim(entry, envelope, stat, worker, lease, now, choice);
                        if (attempt.isPresent()) {
                            return attempt;
                        }
                    }
                }
            }
        }
    }

    private Optional<Intake.Attempt> claim(
            Entry entry,
            Envelope envelope,
            Stat stat,
            Actor worker,
            Lease lease,
            Instant now,
            Choice choice)
            throws IOException {
        // Before anything moves: what a lock keeps from being counted is not begun.
        hive.files().require(hive.layout().history(domain, envelope.id().text()), Access.WRITE);
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
                        new ClaimToken(
                                envelope.id(),
                                facts.attempts() + 1,
                                worker,
                                now,
                                lease.duration(),
                                lease.kind() == Lease.Kind.ATTENDED
                                        ? hive.attendance().name() + Tags.random(TAG_LENGTH)
                                        : "c" + Tags.random(TAG_LENGTH)));
        try {
            hive.files()
                    .renameInto(
                            hive.layout().active(domain),
                            entry.file(),
                            hive.claims().path(domain, claim));
        } catch (NoSuchFileException e) {
            index.forget(entry.file());
            return Optional.empty();
        }
        String rationale = choice.rationale(entry, index.size(), now);
        index.forget(entry.file());
        choice.picked();
        return Optional.of(new Intake.Attempt(claim, entry, facts, now, rationale));
    }

    /// Archives every expired envelope; returns how many. For the person who approves it, where
    /// that is asked for.
    int expireAll() throws IOException {
        synchronized (index) {
            index.refresh(hive.now());
            return chores.expireAll(hive.now());
        }
    }

    /// Puts aside what waits here from a muted sender; returns how many copies that were.
    int park(Mute mute) throws IOException {
        synchronized (index) {
            Instant now = hive.now();
            index.refresh(now);
            int count = chores.parkAll(mute, now);
            pressure.review(index, now);
            return count;
        }
    }

    /// Clears away everything that is expired or no mail, as far as that needs nobody's leave.
    void tidy() throws IOException {
        synchronized (index) {
            Instant now = hive.now();
            index.refresh(now);
            chores.all(now);
            pressure.review(index, now);
            hive.refusals().tellRest(domain, now);
        }
    }

    @Override
    public Settlement renew(String token) throws IOException {
        return settling.renew(token);
    }

    @Override
    public Settlement accept(String token, String note) throws IOException {
        return settling.accept(token, note);
    }

    @Override
    public Settlement settle(String token, Outcome outcome) throws IOException {
        return settling.settle(token, outcome);
    }

    @Override
    public void close() throws IOException {
        index.close();
    }
}
