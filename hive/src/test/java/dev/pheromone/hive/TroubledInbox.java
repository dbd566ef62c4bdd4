package dev.pheromone.hive;

import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.Settlement;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.LockKind;
import dev.pheromone.selection.Waiting;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/// A real inbox, between whose disk and us things go wrong on demand.
final class TroubledInbox implements Inbox {

    static final Lock LOCK =
            new Lock(LockKind.DO_NOT_ERASE, ".deia/**", "rotg-2", ".deia/ROTG-2.lock");

    private final Inbox real;
    final AtomicInteger selectFailures = new AtomicInteger();
    final AtomicInteger settleFailures = new AtomicInteger();
    final AtomicInteger renewFailures = new AtomicInteger();
    final AtomicInteger selects = new AtomicInteger();
    final AtomicInteger renewals = new AtomicInteger();
    final AtomicInteger interrupts = new AtomicInteger();
    volatile boolean locked;
    volatile boolean mirrorLocked;
    volatile boolean losing;

    TroubledInbox(Inbox real) {
        this.real = real;
    }

    /// Notes whether the thread that came here could lose a file to an interrupt.
    private void enter(AtomicInteger failures) throws IOException {
        if (Thread.currentThread().isInterrupted()) {
            interrupts.incrementAndGet();
        }
        if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new IOException("no space left on device");
        }
    }

    @Override
    public Domain domain() {
        return real.domain();
    }

    @Override
    public List<Waiting> waiting() throws IOException {
        return real.waiting();
    }

    @Override
    public Selection select(Actor worker, Lease lease) throws IOException {
        enter(selectFailures);
        selects.incrementAndGet();
        return locked ? new Selection.Withheld(LOCK, "freeze") : real.select(worker, lease);
    }

    @Override
    public void await(Duration timeout) throws IOException, InterruptedException {
        real.await(timeout);
    }

    @Override
    public Settlement renew(String claim) throws IOException {
        enter(renewFailures);
        renewals.incrementAndGet();
        return losing ? new Settlement.Lost("taken back") : real.renew(claim);
    }

    @Override
    public Settlement settle(String claim, Outcome outcome) throws IOException {
        enter(settleFailures);
        if (mirrorLocked) {
            return new Settlement.Withheld(LOCK, "freeze", "");
        }
        return real.settle(claim, outcome);
    }
}
