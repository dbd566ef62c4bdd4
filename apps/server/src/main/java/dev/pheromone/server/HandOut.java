package dev.pheromone.server;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.Settlement;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.selection.Waiting;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Gives mail out of inboxes that also hold mail which may not go so far: that is passed over, and
/// stays for those who are nearer.
final class HandOut {

    /// How much mail in a row is passed over before there is said to be none.
    private static final int PASSED_MAX = 64;

    private final Passage passage;

    /// Inboxes in which such mail was met: those are looked through before anything is taken, so
    /// that nothing is taken and given back without need.
    private final Set<Domain> mixed = ConcurrentHashMap.newKeySet();

    private final InstantSource clock;

    HandOut(Passage passage, InstantSource clock) {
        this.passage = passage;
        this.clock = clock;
    }

    Selection take(Inbox inbox, Actor worker, Lease lease) throws IOException {
        if (isForOthers(inbox)) {
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
                mixed.add(inbox.domain());
            }
            return new Selection.Nothing();
        } finally {
            passed.forEach(token -> giveBack(inbox, token));
        }
    }

    /// Whatever becomes of it: a claim that was made meanwhile is somebody's.
    private static void giveBack(Inbox inbox, String token) {
        try {
            Settlement _ =
                    inbox.settle(token, new Outcome.Released("not for mail over the network"));
        } catch (IOException | RuntimeException e) {
            // Then its lease brings it back.
        }
    }

    /// Whether mail waits that may not go out from here, and no other that could be taken now.
    boolean isForOthers(Inbox inbox) throws IOException {
        return mixed.contains(inbox.domain()) && !hasMail(inbox);
    }

    private boolean hasMail(Inbox inbox) throws IOException {
        Instant now = clock.instant();
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
        if (all) {
            mixed.remove(inbox.domain());
        }
        return some || all;
    }

    private static boolean isReady(Waiting waiting, Instant now) {
        return waiting instanceof Waiting.Mail mail
                && mail.urgency().isReady(now)
                && !mail.urgency().isExpired(now);
    }
}
