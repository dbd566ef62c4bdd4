package dev.pheromone;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Receives from a transport's inboxes: each copy is claimed, handed to the receiver, and finished.
final class ClaimedReception implements Carrier.Reception {

    /// How long storing one copy may take.
    private static final Lease LEASE = Lease.attended(Duration.ofSeconds(60));

    /// How long one inbox is waited at, before the next is looked at.
    private static final Duration LOOK = Duration.ofMillis(100);

    /// How long to rest after a failure; twice as long after each further one in a row.
    private static final Duration REST_MIN = Duration.ofMillis(50);

    private static final Duration REST_MAX = Duration.ofSeconds(30);

    private final Transport transport;
    private final Actor self;
    private final List<Domain> inboxes;
    private final Carrier.Receiver receiver;
    private final CountDownLatch closed = new CountDownLatch(1);

    /// Held while a copy is claimed, stored and finished.
    private final Object step = new Object();

    private Duration rest = REST_MIN;

    ClaimedReception(
            Transport transport, Actor self, List<Domain> inboxes, Carrier.Receiver receiver) {
        this.transport = transport;
        this.self = self;
        this.inboxes = List.copyOf(inboxes);
        this.receiver = receiver;
    }

    @Override
    public Carrier.Ending run() throws InterruptedException {
        while (closed.getCount() > 0) {
            try {
                round();
            } catch (NotLetInException e) {
                return new Carrier.Ending.Refused(String.valueOf(e.getMessage()));
            } catch (NoSuchInboxException e) {
                return new Carrier.Ending.Refused(e.getMessage() + " any more");
            } catch (IOException e) {
                rest();
            }
        }
        return new Carrier.Ending.Closed();
    }

    /// Takes one copy from each inbox; where there is none, waits for one.
    private void round() throws IOException, NoSuchInboxException, InterruptedException {
        List<Inbox> empty = new ArrayList<>();
        for (Domain domain : inboxes) {
            Inbox inbox = transport.inbox(domain);
            switch (take(inbox)) {
                case TAKEN -> rest = REST_MIN;
                case NOTHING -> empty.add(inbox);
                case NOT_NOW -> rest();
            }
        }
        if (empty.size() == inboxes.size()) {
            for (Inbox inbox : empty) {
                if (closed.getCount() > 0) {
                    inbox.await(LOOK);
                }
            }
        }
    }

    private enum Step {
        TAKEN,
        NOTHING,
        NOT_NOW
    }

    private Step take(Inbox inbox) throws IOException {
        synchronized (step) {
            if (closed.getCount() == 0) {
                return Step.NOTHING;
            }
            return switch (inbox.select(self, LEASE)) {
                case Selection.Nothing _ -> Step.NOTHING;
                case Selection.Withheld _ -> Step.NOT_NOW;
                case Selection.Taken(var claim) -> receive(inbox, claim);
            };
        }
    }

    private Step receive(Inbox inbox, Claim claim) throws IOException {
        SendResult result;
        try {
            result = receiver.answer(claim.envelope(), inbox.domain());
        } catch (IOException e) {
            return giveBack(inbox, claim, String.valueOf(e.getMessage()), Duration.ZERO);
        }
        if (result instanceof SendResult.Refused(var retryAfter, var reason)) {
            return giveBack(inbox, claim, reason, retryAfter);
        }
        return switch (Carrier.Fate.of(result)) {
            case TAKEN -> {
                var _ = inbox.settle(claim.token(), new Outcome.Done("received by " + self));
                yield Step.TAKEN;
            }
            // Nobody is left who could be told. What stays refused ends as dead, with the reason.
            case REFUSED -> {
                var _ = inbox.settle(claim.token(), new Outcome.Failed("refused: " + result.why()));
                yield Step.TAKEN;
            }
            case NOT_NOW -> giveBack(inbox, claim, result.why(), Duration.ZERO);
        };
    }

    private Step giveBack(Inbox inbox, Claim claim, String reason, Duration pause)
            throws IOException {
        var _ = inbox.settle(claim.token(), new Outcome.Released("not received: " + reason, pause));
        boolean isPaused =
                pause.isPositive() && transport.capabilities().contains(Capability.PAUSES_RELEASED);
        return isPaused ? Step.TAKEN : Step.NOT_NOW;
    }

    private void rest() throws InterruptedException {
        if (!closed.await(rest.toMillis(), TimeUnit.MILLISECONDS)) {
            Duration longer = rest.multipliedBy(2);
            rest = longer.compareTo(REST_MAX) > 0 ? REST_MAX : longer;
        }
    }

    @Override
    public void close() {
        closed.countDown();
        synchronized (step) {
            // The copy that was being stored is finished.
        }
    }
}
