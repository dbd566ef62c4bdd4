package dev.pheromone.file.inbox;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.InboxOverview;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.Settlement;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.admission.InboxPressure;
import dev.pheromone.file.admission.Mute;
import dev.pheromone.file.copy.FileLimits;
import dev.pheromone.file.copy.InboxIndex;
import dev.pheromone.file.log.GuardReports;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.rse.RseEvent.PolicyGuard.Mode;
import dev.pheromone.selection.Urgency.Turn;
import dev.pheromone.selection.Waiting;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/// An inbox folder. Safe for use by several threads, and by any number of processes.
public final class FileInbox implements Inbox, Closeable {

    private final Domain domain;
    private final Disk files;
    private final HiveLayout layout;
    private final FileLimits limits;
    private final InstantSource clock;
    private final GuardReports reports;
    private final InboxIndex index;
    private final InboxPressure pressure;
    private final Chores chores;
    private final Selecting selecting;
    private final Intake intake;
    private final Settling settling;

    FileInbox(
            Domain domain,
            Disk files,
            HiveLayout layout,
            FileLimits limits,
            InstantSource clock,
            GuardReports reports,
            InboxIndex index,
            InboxPressure pressure,
            Chores chores,
            Selecting selecting,
            Intake intake,
            Settling settling) {
        this.domain = domain;
        this.files = files;
        this.layout = layout;
        this.limits = limits;
        this.clock = clock;
        this.reports = reports;
        this.index = index;
        this.pressure = pressure;
        this.chores = chores;
        this.selecting = selecting;
        this.intake = intake;
        this.settling = settling;
    }

    @Override
    public Domain domain() {
        return domain;
    }

    @Override
    public List<Waiting> waiting() throws IOException {
        Instant now = clock.instant();
        synchronized (index) {
            index.refresh(now);
            return index.view(layout, now, turn());
        }
    }

    @Override
    public InboxOverview overview() throws IOException {
        Instant now = clock.instant();
        synchronized (index) {
            index.refresh(now);
            return index.overview(layout, now, turn());
        }
    }

    private Turn turn() {
        return pressure.isMarked() ? Turn.DRAIN : Turn.NORMAL;
    }

    /// Counts names: no file is opened.
    @Override
    public int depth() throws IOException {
        int depth = 0;
        try (Disk.Operation _ = files.begin()) {
            for (Path file : files.list(layout.inbox(domain))) {
                depth += InboxIndex.isMailName(file) ? 1 : 0;
            }
        }
        return depth;
    }

    @Override
    public void await(Duration timeout) throws IOException, InterruptedException {
        Duration bounded = timeout.compareTo(limits.awaitMax()) > 0 ? limits.awaitMax() : timeout;
        index.await(bounded);
    }

    @Override
    public Selection select(Actor worker, Lease lease) throws IOException {
        try {
            Instant now = clock.instant();
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
            return withheld(e);
        }
    }

    /// Takes this very envelope, whatever else waits, and also while it pauses after a failure. For
    /// people, who pick; it is not counted as a pick of the inbox's own order.
    Selection take(EnvelopeId id, Actor worker, Lease lease) throws IOException {
        try {
            Instant now = clock.instant();
            chores.bringBack(now);
            list(now);
            try (Disk.Operation _ = files.begin()) {
                Optional<Claim> claim = claimNext(worker, lease, new Choice.ById(index, id));
                return claim.isPresent()
                        ? new Selection.Taken(claim.get())
                        : new Selection.Nothing();
            }
        } catch (WithheldException e) {
            return withheld(e);
        }
    }

    private Selection withheld(WithheldException e) {
        reports.withheld(e, Mode.BLOCKED, clock.instant());
        return new Selection.Withheld(e.verdict().lock(), e.verdict().reason());
    }

    /// Lists the folder, as a selection does that knows nothing of it yet.
    private void list(Instant now) throws IOException {
        synchronized (index) {
            index.relist(clock.instant());
            begin(now);
        }
        reports.free(now);
    }

    private void begin(Instant now) {
        pressure.observe(index, now);
        chores.begin();
    }

    private Optional<Claim> claimNext(Actor worker, Lease lease, Choice choice) throws IOException {
        Optional<Intake.Attempt> attempt = selecting.claimNext(worker, lease, choice);
        return attempt.isEmpty() ? Optional.empty() : intake.examine(attempt.get());
    }

    /// Takes the most urgent of what is known to wait, in one pass through the gate; empty if that
    /// is none, or not known without a longer look.
    private Optional<Claim> takeAtOnce(Actor worker, Lease lease, Instant now) throws IOException {
        try (Disk.Operation _ = files.begin()) {
            synchronized (index) {
                if (!index.refreshAtOnce(now)) {
                    return Optional.empty();
                }
                begin(now);
            }
            reports.free(now);
            return claimNext(worker, lease, selecting.inTurn());
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            // Whatever it is, it must not stand in the way of other mail.
            return Optional.empty();
        }
    }

    /// Takes what a listing of the folder finds, because the kernel's notices take a moment: never
    /// answer "empty" while confirmed mail is in the folder.
    private Selection takeAfterAll(Actor worker, Lease lease, Instant now) throws IOException {
        list(now);
        @Nullable IOException failure = null;
        for (int tries = 0; tries < limits.selectTriesMax(); tries++) {
            try (Disk.Operation _ = files.begin()) {
                Optional<Intake.Attempt> attempt =
                        selecting.claimNext(worker, lease, selecting.inTurn());
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

    /// What a selection would take now; empty if nothing is ready.
    Optional<Preview> preview() throws IOException {
        return selecting.preview();
    }

    /// Archives every expired envelope; returns how many. For the person who approves it, where
    /// that is asked for.
    public int expireAll() throws IOException {
        synchronized (index) {
            index.refresh(clock.instant());
            return chores.expireAll(clock.instant());
        }
    }

    /// Puts aside what waits here from a muted sender; returns how many copies that were.
    int park(Mute mute) throws IOException {
        synchronized (index) {
            Instant now = clock.instant();
            index.refresh(now);
            int count = chores.parkAll(mute, now);
            pressure.review(index, now);
            return count;
        }
    }

    /// Clears away everything that is expired or no mail, as far as that needs nobody's leave.
    public void tidy() throws IOException {
        synchronized (index) {
            Instant now = clock.instant();
            index.refresh(now);
            chores.all(now);
            pressure.review(index, now);
        }
    }

    /// How many of the headers that readers kept are not what the files say.
    public int countWrongHeaders() throws IOException {
        synchronized (index) {
            return index.countWrong(clock.instant());
        }
    }

    /// Throws the kept headers away; the next reader looks at every file.
    public void dropHeaders() {
        index.drop();
    }

    @Override
    public Settlement renew(String token) throws IOException {
        return settling.renew(domain, token);
    }

    @Override
    public Settlement accept(String token, String note) throws IOException {
        return settling.accept(domain, token, note);
    }

    @Override
    public Settlement settle(String token, Outcome outcome) throws IOException {
        return settling.settle(domain, token, outcome);
    }

    @Override
    public void close() throws IOException {
        index.close();
    }
}
