package dev.pheromone.hive;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Outcome;
import dev.pheromone.Settlement;
import dev.pheromone.envelope.Ttl;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// Work on one claimed envelope, from beginning to end.
///
/// Two threads: one works and may be interrupted, the other keeps the claim alive, looks at the
/// time, and settles. Nobody interrupts that one, because it touches the inbox.
final class Job implements Runnable {

    /// A note is a line in a log and a status file.
    private static final int NOTE_LENGTH_MAX = 400;

    private static final int BEATS_PER_LEASE = 3;

    private static final String STOPPED = "the worker stopped";

    /// Why work was interrupted.
    private enum Cut {
        TIME_OUT,
        STOP,
        LOST
    }

    /// What the keeping thread is woken for.
    private sealed interface Signal {
        record Ended(@Nullable Outcome outcome, @Nullable Throwable failure) implements Signal {}

        record Look() implements Signal {}
    }

    private final Claim claim;
    private final Inbox inbox;
    private final Worker worker;
    private final HiveOptions options;
    private final HiveLimits limits;
    private final InstantSource clock;
    private final Stopping stopping;
    private final Consumer<Report> reports;

    private final LinkedBlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
    private final Thread work;
    private final Instant deadline;
    private Instant nextBeat;
    private int beatTroubles;
    private @Nullable Cut cut;
    private Instant cutAt = Instant.MAX;
    private String lostBecause = "";

    Job(
            Claim claim,
            Inbox inbox,
            Worker worker,
            HiveOptions options,
            HiveLimits limits,
            InstantSource clock,
            Stopping stopping,
            Consumer<Report> reports) {
        this.claim = claim;
        this.inbox = inbox;
        this.worker = worker;
        this.options = options;
        this.limits = limits;
        this.clock = clock;
        this.stopping = stopping;
        this.reports = reports;
        this.work = Thread.ofVirtual().name("work on " + claim.token()).unstarted(this::work);
        Instant now = clock.instant();
        this.deadline = now.plus(options.timeout());
        this.nextBeat = now.plus(beat());
    }

    private Duration beat() {
        return options.lease().dividedBy(BEATS_PER_LEASE);
    }

    /// Has the keeping thread look at once whether the hive stops.
    void look() {
        signals.add(new Signal.Look());
    }

    private void work() {
        Signal.Ended ended;
        try {
            ended = new Signal.Ended(worker.work(claim), null);
        } catch (Throwable e) {
            // Also an Error: it ended this work, and must not end the hive.
            ended = new Signal.Ended(null, e);
        }
        signals.add(ended);
    }

    @Override
    public void run() {
        if (stopping.isAsked()) {
            // The stop came while it was taken.
            settle(new Outcome.Released(STOPPED));
            return;
        }
        reports.accept(new Report.Taken(claim));
        work.start();
        Signal.Ended ended = attend();
        if (cut == Cut.LOST) {
            reports.accept(new Report.Lost(claim, lostBecause));
        } else {
            settle(outcome(ended));
        }
    }

    /// Keeps the claim until its work has ended; null if it was interrupted and does not end.
    private Signal.@Nullable Ended attend() {
        // A very short lease needs a closer look.
        Duration look = beat().compareTo(limits.tick()) < 0 ? beat() : limits.tick();
        while (true) {
            Instant now = clock.instant();
            if (cut != null && !now.isBefore(cutAt.plus(limits.unwindMax()))) {
                reports.accept(new Report.Abandoned(claim));
                return null;
            }
            if (cut == null && stopping.isOver(now)) {
                interrupt(Cut.STOP, now);
            }
            if (cut == null && !now.isBefore(deadline)) {
                interrupt(Cut.TIME_OUT, now);
            }
            if (cut != Cut.LOST && !now.isBefore(nextBeat)) {
                giveSignOfLife(now);
            }
            if (poll(look) instanceof Signal.Ended ended) {
                return ended;
            }
        }
    }

    private void interrupt(Cut why, Instant now) {
        cut = why;
        cutAt = now;
        work.interrupt();
    }

    private void giveSignOfLife(Instant now) {
        nextBeat = now.plus(beat());
        try {
            if (inbox.renew(claim.token()) instanceof Settlement.Lost(var reason)) {
                lostBecause = reason;
                if (cut == null) {
                    interrupt(Cut.LOST, now);
                }
                cut = Cut.LOST;
            }
            beatTroubles = 0;
        } catch (IOException | RuntimeException e) {
            beatTroubles++;
            nextBeat = now.plus(limits.backoff(beatTroubles));
            if (beatTroubles == 1) {
                reports.accept(new Report.Trouble("renewing claim " + claim.token(), e));
            }
        }
    }

    private Outcome outcome(Signal.@Nullable Ended ended) {
        Outcome said = ended == null ? null : ended.outcome();
        if (said instanceof Outcome.Done) {
            return said;
        }
        if (cut == Cut.TIME_OUT) {
            return new Outcome.Failed("timed out after " + Ttl.format(options.timeout()));
        }
        if (cut == Cut.STOP) {
            return new Outcome.Released(STOPPED);
        }
        if (said != null) {
            return said;
        }
        return new Outcome.Failed(describe(ended == null ? null : ended.failure()));
    }

    private static String describe(@Nullable Throwable failure) {
        if (failure == null) {
            return "the worker returned no outcome";
        }
        String message = failure.getMessage();
        String text =
                message == null || message.isBlank()
                        ? failure.getClass().getSimpleName()
                        : message.strip();
        return text.length() > NOTE_LENGTH_MAX ? text.substring(0, NOTE_LENGTH_MAX) : text;
    }

    /// Writes down how it ended, as often as it takes while the claim can be kept.
    private void settle(Outcome outcome) {
        Instant ended = clock.instant();
        Duration took = Duration.between(claim.claimedAt(), ended);
        int troubles = 0;
        while (true) {
            Exception trouble;
            try {
                Settlement settlement = inbox.settle(claim.token(), outcome);
                if (settlement instanceof Settlement.Lost(var reason)) {
                    reports.accept(new Report.Lost(claim, reason));
                    return;
                }
                if (!(settlement instanceof Settlement.Withheld(var _, var reason, var embargo))
                        || !embargo.isEmpty()) {
                    reports.accept(new Report.Settled(claim, outcome, settlement, took));
                    return;
                }
                // Not even the embargo takes it. No lease ends under a lock, so there is time.
                trouble = new IOException(reason);
            } catch (IOException | RuntimeException e) {
                trouble = e;
            }
            troubles++;
            if (troubles == 1) {
                reports.accept(new Report.Trouble("settling claim " + claim.token(), trouble));
            }
            Instant now = clock.instant();
            if (stopping.isOver(now) || !now.isBefore(ended.plus(limits.settleMax()))) {
                reports.accept(new Report.Unsettled(claim, outcome, trouble));
                return;
            }
            if (!now.isBefore(nextBeat)) {
                giveSignOfLife(now);
            }
            Signal _ = poll(limits.backoff(troubles));
        }
    }

    /// The next signal, or null if there is none within `timeout`. Nobody interrupts this thread.
    private @Nullable Signal poll(Duration timeout) {
        try {
            return signals.poll(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException("the keeper of a claim was interrupted", e);
        }
    }
}
