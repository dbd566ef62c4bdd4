package dev.pheromone.session;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.Settlement;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.selection.Waiting;
import dev.pheromone.session.hive.Passage;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// An inbox of a served hive. Copies that may not go so far are passed over, and stay for those who
/// are nearer.
public final class ServedInbox {

    /// How many copies in a row are passed over before there is said to be none.
    private static final int PASSED_MAX = 64;

    /// Several may wait at one inbox, and only one of them is woken: the others look this often.
    private static final Duration SLICE = Duration.ofSeconds(1);

    private final Inbox inbox;
    private final Passage passage;

    /// Whether a copy was met that may not go so far: then the inbox is looked through before
    /// anything is taken, so that no copy is taken and given back without need.
    private volatile boolean isMixed;

    ServedInbox(Inbox inbox, Passage passage) {
        this.inbox = inbox;
        this.passage = passage;
    }

    public Domain domain() {
        return inbox.domain();
    }

    /// How much waits: all mail, also what may not be given out.
    public int depth() throws IOException {
        return inbox.depth();
    }

    /// What waits and may be shown, the first `countMax` of it.
    public List<Waiting> waiting(int countMax) throws IOException {
        List<Waiting> shown = new ArrayList<>();
        for (Waiting item : countMax == 0 ? List.<Waiting>of() : inbox.waiting()) {
            if (passage.allows(inbox.domain(), item)) {
                shown.add(item);
            }
            if (shown.size() == countMax) {
                break;
            }
        }
        return shown;
    }

    /// Takes the most urgent copy that may be given out.
    public Selection select(Actor worker, Lease lease) throws IOException {
        if (isForOthers()) {
            return new Selection.Nothing();
        }
        List<String> passed = new ArrayList<>();
        try {
            while (passed.size() < PASSED_MAX) {
                Selection selection = inbox.select(worker, lease);
                if (!(selection instanceof Selection.Taken(Claim claim))
                        || passage.allows(claim.envelope())) {
                    return selection;
                }
                passed.add(claim.token());
                isMixed = true;
            }
            return new Selection.Nothing();
        } finally {
            passed.forEach(this::giveBack);
        }
    }

    /// Gives a copy back that was passed over; a claim that can't be given back ends with its
    /// lease.
    private void giveBack(String token) {
        try {
            Settlement _ =
                    inbox.settle(token, new Outcome.Released("not for mail over the network"));
        } catch (IOException | RuntimeException e) {
            // What was taken for the client is the client's all the same.
        }
    }

    /// Waits until there may be something to take, for a moment at most.
    public void await(Duration patience) throws IOException {
        Duration slice = patience.compareTo(SLICE) < 0 ? patience : SLICE;
        try {
            if (isForOthers()) {
                // The inbox would say at once that there is mail, again and again.
                Thread.sleep(slice);
            } else {
                inbox.await(slice);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the server is being stopped");
        }
    }

    /// Whether mail waits that may not go out, and no other that could be taken now.
    private boolean isForOthers() throws IOException {
        if (!isMixed) {
            return false;
        }
        Instant now = passage.caller().now();
        boolean some = false;
        boolean all = true;
        for (Waiting waiting : inbox.waiting()) {
            if (!passage.isWithinConsent(waiting)) {
                all = false;
            } else if (!some && isReady(waiting, now)) {
                some = passage.allows(inbox.domain(), waiting);
                all &= some;
            }
        }
        isMixed = !all;
        return !some && !all;
    }

    private static boolean isReady(Waiting waiting, Instant now) {
        return waiting instanceof Waiting.Mail mail
                && mail.urgency().isReady(now)
                && !mail.urgency().isExpired(now);
    }

    /// Begins the lease of a claim anew.
    public Settlement renew(String token) throws IOException {
        return inbox.renew(token);
    }

    /// As [#renew], by a holder who says that the work is taken on: the log gets `note`.
    public Settlement accept(String token, String note) throws IOException {
        return inbox.accept(token, note);
    }

    /// Ends a claim. Under a lock that came since this inbox was asked for, how the claim ended is
    /// kept.
    public Settlement settle(String token, Outcome outcome) throws IOException {
        return inbox.settle(token, outcome);
    }
}
