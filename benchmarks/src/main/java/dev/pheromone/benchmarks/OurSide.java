package dev.pheromone.benchmarks;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Actor;
import dev.pheromone.envelope.Envelope;

import java.time.Duration;
import java.util.List;

/// What a program does with a transport, one envelope after the other; each way returns the
/// nanoseconds that one took.
final class OurSide {

    private static final Actor WORKER = Actor.parse("worker");
    private static final Lease LEASE = Lease.attended(Duration.ofMinutes(1));

    private OurSide() {}

    static double send(Transport transport, List<Envelope> envelopes) throws Exception {
        long began = System.nanoTime();
        for (Envelope envelope : envelopes) {
            deliver(transport, envelope);
        }
        return (double) (System.nanoTime() - began) / envelopes.size();
    }

    /// Sent, selected and done.
    static double trip(Transport transport, Inbox inbox, List<Envelope> envelopes)
            throws Exception {
        long began = System.nanoTime();
        for (Envelope envelope : envelopes) {
            deliver(transport, envelope);
            Selection selected = inbox.select(WORKER, LEASE);
            if (!(selected instanceof Selection.Taken(Claim claim))) {
                throw new IllegalStateException("not taken: " + envelope.id() + ": " + selected);
            }
            Settlement settled = inbox.settle(claim.token(), new Outcome.Done(""));
            if (!(settled instanceof Settlement.Settled(var state, var _)) || state != State.DONE) {
                throw new IllegalStateException("not done: " + envelope.id() + ": " + settled);
            }
        }
        return (double) (System.nanoTime() - began) / envelopes.size();
    }

    static void deliver(Transport transport, Envelope envelope) throws Exception {
        SendResult result = transport.send(envelope).copies().getFirst().result();
        if (!(result instanceof SendResult.Delivered)) {
            throw new IllegalStateException("not delivered: " + result);
        }
    }
}
