package dev.pheromone.file;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.file.upkeep.Recovery;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/// A process that works on what comes, until it is killed or gets a byte on its input: `ROOT NAME
/// recovers|works`. The name is that of one life: started again, it gets another.
///
/// It writes one byte to its output before each step, so that whoever kills it knows that it is at
/// work, and another when it has nothing to do.
final class StormWorkerMain {

    private static final Lease LEASE = Lease.attended(Duration.ofSeconds(60));
    private static final Duration IDLE_TIME = Duration.ofMillis(20);

    static final char STEP = '.';
    static final char IDLE = 'i';

    private StormWorkerMain() {}

    public static void main(String[] arguments) throws Exception {
        StormHive hive = new StormHive(Path.of(arguments[0]));
        Actor self = Actor.parse(arguments[1]);
        try (FileTransport transport = hive.open(self)) {
            say(STEP);
            if (arguments[2].equals("recovers")) {
                transport.upkeep().recover(Recovery.Extent.RECENT);
            }
            Inbox inbox = transport.inbox(StormHive.CODE);
            while (System.in.available() == 0) {
                if (inbox.select(self, LEASE) instanceof Selection.Taken(var claim)) {
                    work(hive, inbox, claim);
                } else {
                    say(IDLE);
                    inbox.await(IDLE_TIME);
                }
            }
        }
    }

    private static void work(StormHive hive, Inbox inbox, Claim claim) throws IOException {
        say(STEP);
        StormMail.check(claim.envelope());
        StormHive.addLine(
                hive.effects(), claim.envelope().id() + " " + claim.token() + " " + claim.worker());
        say(STEP);
        Settlement settlement = inbox.settle(claim.token(), new Outcome.Done(""));
        if (!settlement.equals(
                new Settlement.Settled(State.DONE, Settlement.Confirmation.ON_DISK))) {
            throw new IOException("claim " + claim.token() + ": " + settlement);
        }
    }

    private static void say(char what) {
        System.out.write(what);
        System.out.flush();
    }
}
