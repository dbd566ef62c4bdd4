package dev.pheromone.session.question;

import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.FileProblem;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.OpenedCopy;

import java.io.IOException;

/// A copy in the caller's own inbox about which nothing is left to do: the answer that was waited
/// for, or the question that was answered.
final class WaitingCopy {

    private WaitingCopy() {}

    /// Takes `copy` and says that it is done, if it waits. Whatever stands against that leaves the
    /// copy where it is, to be taken like any other.
    static void finish(Caller caller, OpenHive hive, OpenedCopy copy, String note) {
        if (copy.state() != State.WAITING || !hive.mail().hasChoice()) {
            return;
        }
        try {
            Selection taken =
                    hive.transport()
                            .picking(copy.inbox())
                            .take(
                                    copy.envelope().id(),
                                    caller.actor(),
                                    Lease.unattended(hive.config().lease().select()));
            if (taken instanceof Selection.Taken(var claim)) {
                Settlement _ =
                        hive.inbox(claim.inbox().address())
                                .settle(claim.token(), new Outcome.Done(note));
            }
        } catch (WithheldException e) {
            // A lock keeps it where it is.
        } catch (IOException e) {
            caller.warn(copy.envelope().id().shortForm() + " waits on: " + FileProblem.describe(e));
        }
    }
}
