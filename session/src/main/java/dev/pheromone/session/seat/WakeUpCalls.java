package dev.pheromone.session.seat;

import dev.pheromone.Receipt;
import dev.pheromone.address.Actor;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.Arrivals;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.session.caller.Caller;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/// Wakes the idle sessions that don't notice by themselves that mail was delivered to them, whether
/// by a command, over a network, by a bridge or as an answer of a worker.
///
/// For each actor there is one call at a time: what comes soon after it is told of by one more.
public final class WakeUpCalls implements Arrivals {

    /// A program that takes a message needs some seconds until its session looks at its mail.
    private static final Duration CALL_MAX = Duration.ofSeconds(5);

    private final Caller caller;
    private final HiveLayout layout;
    private final PolicyGuard guard;

    /// The actors who were called a moment ago, and whether mail came since.
    private final Map<Actor, Boolean> called = new HashMap<>();

    public WakeUpCalls(Caller caller, HiveLayout layout, PolicyGuard guard) {
        this.caller = caller;
        this.layout = layout;
        this.guard = guard;
    }

    @Override
    public void delivered(Envelope envelope, Receipt receipt) {
        try {
            for (Actor actor : new Waking(layout, guard, caller.now()).after(envelope, receipt)) {
                call(actor);
            }
        } catch (IOException | RuntimeException e) {
            // The mail is there, and that is what counts: it is told of at the next prompt.
        }
    }

    private synchronized void call(Actor actor) {
        if (called.containsKey(actor)) {
            called.put(actor, true);
            return;
        }
        called.put(actor, false);
        caller.wake(layout.root(), actor);
        // A command that ends sooner calls once.
        Thread _ = Thread.ofVirtual().name("wake-up-call").start(() -> callAgain(actor));
    }

    private void callAgain(Actor actor) {
        try {
            Thread.sleep(CALL_MAX);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            if (Boolean.TRUE.equals(called.remove(actor))) {
                call(actor);
            }
        }
    }
}
