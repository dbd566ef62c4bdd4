package dev.pheromone.file;

import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.Settlement;
import dev.pheromone.address.Actor;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// A process that takes what it can get: `ROOT NAME watches|lists acks|keeps`. It says that it is
/// ready, begins with the first byte on its input and ends with the second; each claim that it gets
/// is a line of its output.
///
/// One that keeps its claims acknowledges them all in the end.
final class ClaimerMain {

    private static final Lease LEASE = Lease.unattended(Duration.ofMinutes(30));
    private static final Duration IDLE = Duration.ofMillis(10);

    private ClaimerMain() {}

    public static void main(String[] arguments) throws Exception {
        StormHive hive = new StormHive(Path.of(arguments[0]));
        Actor self = Actor.parse(arguments[1]);
        boolean watches = arguments[2].equals("watches");
        boolean keeps = arguments[3].equals("keeps");
        List<String> kept = new ArrayList<>();
        try (FileTransport transport = hive.open(self)) {
            Inbox inbox = transport.inbox(StormHive.CODE);
            System.out.println("ready");
            if (System.in.read() < 0) {
                return;
            }
            while (System.in.available() == 0) {
                if (inbox.select(self, LEASE) instanceof Selection.Taken(var claim)) {
                    StormMail.check(claim.envelope());
                    System.out.println(claim.token());
                    if (keeps) {
                        kept.add(claim.token());
                    } else {
                        done(inbox, claim.token());
                    }
                } else if (watches) {
                    inbox.await(IDLE);
                }
            }
            for (String claim : kept) {
                done(inbox, claim);
            }
        }
    }

    private static void done(Inbox inbox, String claim) throws IOException {
        Settlement settlement = inbox.settle(claim, new Outcome.Done(""));
        if (!(settlement instanceof Settlement.Settled)) {
            throw new IOException("claim " + claim + ": " + settlement);
        }
    }
}
