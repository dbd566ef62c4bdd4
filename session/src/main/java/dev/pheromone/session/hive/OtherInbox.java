package dev.pheromone.session.hive;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.Settlement;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.file.remote.HeldClaims;
import dev.pheromone.file.remote.RemoteJournal;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.selection.Waiting;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.FileProblem;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// An inbox on another transport, under this hive's locks: what is taken from it and settled is
/// noted here, in the log and for later commands.
///
/// A lock keeps anything from being taken. What was taken before can still be settled: that moves
/// no mail, and the other side would give it to somebody else.
final class OtherInbox implements Inbox {

    private final Caller caller;
    private final OtherTransport transport;
    private final Inbox there;
    private final Map<String, RemoteJournal.About> taken = new ConcurrentHashMap<>();

    OtherInbox(Caller caller, OtherTransport transport, Inbox there) {
        this.caller = caller;
        this.transport = transport;
        this.there = there;
    }

    @Override
    public Domain domain() {
        return there.domain();
    }

    @Override
    public List<Waiting> waiting() throws IOException {
        transport.requireFree();
        return there.waiting();
    }

    @Override
    public Selection select(Actor worker, Lease lease) throws IOException {
        try {
            transport.requireFree();
        } catch (WithheldException e) {
            return new Selection.Withheld(e.verdict().lock(), e.verdict().reason());
        }
        Selection selection = there.select(worker, lease);
        if (selection instanceof Selection.Taken(var claim)) {
            note(claim);
        }
        return selection;
    }

    /// Whatever goes wrong here, the mail is ours.
    private void note(Claim claim) {
        taken.put(claim.token(), RemoteJournal.About.of(claim));
        try {
            transport.journal().claimed(claim);
            transport.held().remember(claim);
        } catch (IOException e) {
            caller.warn("the claim is not noted here: " + FileProblem.describe(e));
        }
    }

    @Override
    public void await(Duration timeout) throws IOException, InterruptedException {
        there.await(timeout);
    }

    @Override
    public Settlement renew(String claim) throws IOException {
        return there.renew(claim);
    }

    @Override
    public Settlement accept(String claim, String note) throws IOException {
        Settlement settlement = there.accept(claim, note);
        if (settlement instanceof Settlement.Renewed) {
            try {
                RemoteJournal.@Nullable About about = about(claim);
                if (about != null) {
                    transport.journal().accepted(about, note);
                }
            } catch (IOException e) {
                caller.warn("what was said is not noted here: " + FileProblem.describe(e));
            }
        }
        return settlement;
    }

    @Override
    public Settlement settle(String claim, Outcome outcome) throws IOException {
        Settlement settlement = there.settle(claim, outcome);
        try {
            RemoteJournal.@Nullable About about = about(claim);
            if (about != null) {
                transport.journal().settled(about, outcome, settlement);
            }
            if (settlement instanceof Settlement.Settled || settlement instanceof Settlement.Lost) {
                taken.remove(claim);
                if (outcome instanceof Outcome.Released) {
                    transport.held().noteReleased(claim);
                }
                transport.held().forget(claim);
            }
        } catch (IOException e) {
            // A lock, or a full disk: what was settled is settled.
            caller.warn("the outcome is not noted here: " + FileProblem.describe(e));
        }
        return settlement;
    }

    private RemoteJournal.@Nullable About about(String claim) throws IOException {
        RemoteJournal.About known = taken.get(claim);
        if (known != null) {
            return known;
        }
        for (HeldClaims.Held held : transport.held().find(claim)) {
            return RemoteJournal.About.of(held);
        }
        return null;
    }
}
