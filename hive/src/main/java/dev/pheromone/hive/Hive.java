package dev.pheromone.hive;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Selection;
import dev.pheromone.address.Actor;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/// The loop: waits for mail in one inbox, takes it, has a [Worker] do it, and settles it, several
/// at a time.
///
/// Nothing ends it but its mode or [#stop()]: a worker that fails, a disk that is full, a lock that
/// somebody sets are reported, and it goes on. One thread selects, however many slots there are.
/// Nothing runs before [#run()] and nothing after it, but for work that ignores its interrupt.
public final class Hive {

    private final Inbox inbox;
    private final Actor actor;
    private final Worker worker;
    private final HiveOptions options;
    private final HiveLimits limits;
    private final InstantSource clock;
    private final Consumer<Report> listener;

    private final Stopping stopping = new Stopping();
    private final Tally tally = new Tally();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Set<Job> jobs = new HashSet<>();
    private final ReentrantLock telling = new ReentrantLock();

    /// Counts what may have changed the answer of a selection.
    private long changes;

    private int troubles;

    /// When the first of them was; null if there are none.
    private @Nullable Instant troubledAt;

    /// The last of them.
    private @Nullable Exception trouble;

    private boolean withheld;

    /// A hive that takes from `inbox` in the name of `actor`.
    ///
    /// @param listener is told what happens, one report at a time, by the threads that do it; what
    ///   it throws is dropped
    public Hive(
            Inbox inbox,
            Actor actor,
            Worker worker,
            HiveOptions options,
            InstantSource clock,
            Consumer<Report> listener) {
        this(inbox, actor, worker, options, HiveLimits.defaults(), clock, listener);
    }

    Hive(
            Inbox inbox,
            Actor actor,
            Worker worker,
            HiveOptions options,
            HiveLimits limits,
            InstantSource clock,
            Consumer<Report> listener) {
        this.inbox = inbox;
        this.actor = actor;
        this.worker = worker;
        this.options = options;
        this.limits = limits;
        this.clock = clock;
        this.listener = listener;
    }

    /// Works until the mode's end or a stop, and until all work has ended; returns what was done.
    /// To interrupt the caller is to [#stop()].
    ///
    /// Once only: a hive that has stopped stays so.
    public Progress run() {
        // A thread that nobody interrupts, because it touches the inbox.
        Thread dispatcher = Thread.ofVirtual().name("hive " + inbox.domain()).start(this::dispatch);
        boolean interrupted = false;
        while (true) {
            try {
                dispatcher.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
                stop();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return tally.progress(0, 0, clock.instant());
    }

    /// Takes nothing more. Running work may finish within the grace period; then it is given back.
    public void stop() {
        stopBy(clock.instant().plus(options.grace()));
    }

    /// Takes nothing more, and gives back what runs, at once.
    public void stopNow() {
        stopBy(clock.instant());
    }

    private void stopBy(Instant deadline) {
        stopping.by(deadline);
        lock.lock();
        try {
            jobs.forEach(Job::look);
        } finally {
            lock.unlock();
        }
        wake();
    }

    /// How far it is. Counts what waits, which takes longer the more there is.
    public Progress progress() throws IOException {
        int waiting = inbox.waiting().size();
        return tally.progress(running(), waiting, clock.instant());
    }

    private int running() {
        lock.lock();
        try {
            return jobs.size();
        } finally {
            lock.unlock();
        }
    }

    private void dispatch() {
        Lookout lookout = new Lookout(inbox, limits, this::wake);
        lookout.start();
        try {
            takeAll(lookout);
        } finally {
            lookout.end();
            awaitJobs();
        }
    }

    private void takeAll(Lookout lookout) {
        Instant patience = clock.instant().plus(options.patience());
        while (true) {
            long seen = awaitFreeSlot();
            if (stopping.isAsked()) {
                return;
            }
            boolean idle = running() == 0;
            switch (select()) {
                case null -> {
                    if (isPatienceOver(patience) || (idle && isGivenUp())) {
                        return;
                    }
                    pause(seen, limits.backoff(troubles));
                }
                case Selection.Taken(var claim) -> {
                    begin(claim);
                    if (options.mode() == HiveOptions.Mode.ONCE) {
                        return;
                    }
                }
                case Selection.Withheld _ -> {
                    if (isPatienceOver(patience)
                            || (options.mode() == HiveOptions.Mode.DRAIN && idle)) {
                        return;
                    }
                    pause(seen, limits.lockPoll());
                }
                case Selection.Nothing _ -> {
                    if (isPatienceOver(patience)
                            || (options.mode() == HiveOptions.Mode.DRAIN && idle)) {
                        return;
                    }
                    lookout.ask();
                    pause(seen, untilPatienceEnds(patience));
                }
            }
        }
    }

    private boolean isPatienceOver(Instant patience) {
        return options.mode() == HiveOptions.Mode.ONCE && !clock.instant().isBefore(patience);
    }

    /// Whoever drains has an end in mind, and does not wait for a transport for ever.
    private boolean isGivenUp() {
        Instant since = troubledAt;
        Exception cause = trouble;
        if (options.mode() != HiveOptions.Mode.DRAIN
                || since == null
                || cause == null
                || clock.instant().isBefore(since.plus(limits.drainMax()))) {
            return false;
        }
        tell(new Report.GaveUp(inbox.domain(), cause));
        return true;
    }

    /// The lookout calls earlier.
    private Duration untilPatienceEnds(Instant patience) {
        Duration longest = limits.awaitMax();
        if (options.mode() != HiveOptions.Mode.ONCE) {
            return longest;
        }
        Duration left = Duration.between(clock.instant(), patience);
        return left.compareTo(longest) < 0 ? left : longest;
    }

    /// Takes the next envelope; null if the transport failed.
    private @Nullable Selection select() {
        try {
            Selection selection = inbox.select(actor, Lease.attended(options.lease()));
            troubles = 0;
            troubledAt = null;
            if (selection instanceof Selection.Withheld(var by, var reason)) {
                if (!withheld) {
                    tell(new Report.Withheld(inbox.domain(), by, reason));
                }
                withheld = true;
            } else if (withheld) {
                withheld = false;
                tell(new Report.Free(inbox.domain()));
            }
            return selection;
        } catch (IOException | RuntimeException e) {
            troubles++;
            trouble = e;
            if (troubles == 1) {
                troubledAt = clock.instant();
                tell(new Report.Trouble("taking from " + inbox.domain().address(), e));
            }
            return null;
        }
    }

    private void begin(Claim claim) {
        Job job = new Job(claim, inbox, worker, options, limits, clock, stopping, this::tell);
        lock.lock();
        try {
            jobs.add(job);
        } finally {
            lock.unlock();
        }
        Thread.ofVirtual()
                .name("keeper of " + claim.token())
                .start(() -> {
                    try {
                        job.run();
                    } finally {
                        end(job);
                    }
                });
    }

    private void end(Job job) {
        lock.lock();
        try {
            jobs.remove(job);
        } finally {
            lock.unlock();
        }
        wake();
    }

    private void wake() {
        lock.lock();
        try {
            changes++;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Waits for a free slot or a stop; returns the number of changes that the next selection knows
    /// of.
    private long awaitFreeSlot() {
        lock.lock();
        try {
            while (jobs.size() >= options.concurrency() && !stopping.isAsked()) {
                changed.awaitUninterruptibly();
            }
            return changes;
        } finally {
            lock.unlock();
        }
    }

    private void awaitJobs() {
        lock.lock();
        try {
            while (!jobs.isEmpty()) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    /// Waits until something changes after the change of number `seen`, or `timeout` is over.
    private void pause(long seen, Duration timeout) {
        lock.lock();
        try {
            long left = timeout.toNanos();
            while (changes == seen && left > 0) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("the dispatcher of a hive was interrupted", e);
        } finally {
            lock.unlock();
        }
    }

    private void tell(Report report) {
        switch (report) {
            case Report.Settled(var _, var outcome, var _, var _) ->
                    tally.count(outcome, clock.instant());
            case Report.Lost _, Report.Unsettled _ -> tally.countLost();
            default -> {}
        }
        telling.lock();
        try {
            listener.accept(report);
        } catch (RuntimeException e) {
            // A listener that fails must not end what it listens to.
        } finally {
            telling.unlock();
        }
    }
}
