package dev.pheromone.file;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.PublicCheck;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;
import dev.pheromone.address.Actor;
import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.TracedDisk;
import dev.pheromone.file.admission.Delays;
import dev.pheromone.file.log.JsonlRseLog;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.trust.TrustList;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/// A process that sends, takes and finishes mail as fast as it can, until its input ends; and
/// writes down every access to the hive.
///
/// Arguments: the hive's root, this process's number, and the file for the accesses. Beside that
/// file it writes what it sent (`.sent`) and what it finished (`.done`).
final class LockStormMain {

    private static final long PAUSE_NANOS = Duration.ofMillis(1).toNanos();

    /// Many at first, then always some.
    private static final int SENDS_AT_ONCE = 400;

    private static final int SENDS_EVERY = 50;

    private LockStormMain() {}

    public static void main(String[] arguments) throws Exception {
        StormHive hive = StormHive.create(Path.of(arguments[0]));
        int number = Integer.parseInt(arguments[1]);
        Path trace = Path.of(arguments[2]);
        Actor self = Actor.parse("worker-" + number);
        TracedDisk traced = new TracedDisk(hive.layout().hive());
        GuardedFiles files =
                new GuardedFiles(traced.disk(), traced.guard(new LockFiles(hive.layout())));
        JsonlRseLog log = new JsonlRseLog(files, hive.layout().log());
        List<String> sent = new ArrayList<>();
        List<String> done = new ArrayList<>();
        HiveParts open =
                new HiveParts(
                        files,
                        hive.layout(),
                        StormHive.patient(),
                        TrustList.empty(),
                        StormHive.LIMITS,
                        log,
                        self,
                        InstantSource.system());
        try (FileTransport transport =
                new FileTransport(open, log, Delays::hold, PublicCheck.REFUSES_ALL)) {
            // Not through the transport: the hive may be locked already.
            Inbox inbox = open.inboxes.open(StormHive.CODE);
            System.out.println("ready");
            for (int i = 0; System.in.available() == 0; i++) {
                if (i < SENDS_AT_ONCE || i % SENDS_EVERY == 0) {
                    SendResult result =
                            transport
                                    .send(StormMail.of(number, i, Instant.now()))
                                    .copies()
                                    .getFirst()
                                    .result();
                    sent.add(StormMail.id(number, i) + " " + result.getClass().getSimpleName());
                }
                if (inbox.select(self, Lease.unattended(Duration.ofMinutes(30)))
                        instanceof Selection.Taken(Claim claim)) {
                    StormMail.check(claim.envelope());
                    Settlement end = inbox.settle(claim.token(), new Outcome.Done(""));
                    done.add(claim.envelope().id() + " " + end.getClass().getSimpleName());
                } else {
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            }
        }
        traced.save(trace);
        Files.write(Path.of(trace + ".sent"), sent, StandardOpenOption.CREATE_NEW);
        Files.write(Path.of(trace + ".done"), done, StandardOpenOption.CREATE_NEW);
    }
}
