package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Actor;
import dev.pheromone.Domain;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.State;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// The hive is locked and unlocked again and again while four processes send, take and finish mail:
/// nobody touches anything in it between the return of the one and the start of the other.
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class LockStormTest {

    private static final int PROCESSES = 4;
    private static final int CYCLES = Boolean.getBoolean("rsm.long") ? 1_000 : 40;

    /// How long the hive stays locked, and how long free, at most.
    private static final long STRETCH_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(20);

    @TempDir Path folder;

    /// A time in which nothing may be touched.
    private record Frozen(long fromNanos, long untilNanos) {

        boolean has(TracedDisk.Access access) {
            return access.endedNanos() > fromNanos && access.beganNanos() < untilNanos;
        }
    }

    @Test
    void betweenLockAndUnlockNothingIsTouchedAndNothingIsLost() throws Exception {
        StormHive hive = StormHive.create(Files.createDirectory(folder.resolve("hive")));
        LockFiles guard = new LockFiles(hive.layout());
        Locksmith smith = new Locksmith(hive.layout(), guard);
        List<Process> processes = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            Process process =
                    ChildJvm.plain()
                            .of(
                                    LockStormMain.class,
                                    hive.root().toString(),
                                    Integer.toString(i),
                                    folder.resolve("trace-" + i).toString())
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
            processes.add(process);
            assertThat(process.inputReader().readLine()).isEqualTo("ready");
        }
        List<Frozen> frozen = new ArrayList<>();
        for (int cycle = 0; cycle < CYCLES; cycle++) {
            assertThat(smith.lockHive("storm").isQuiet()).isTrue();
            long from = System.nanoTime();
            LockSupport.parkNanos(STRETCH_NANOS_MAX * (cycle % 5) / 5);
            frozen.add(new Frozen(from, System.nanoTime()));
            assertThat(smith.unlockHive(Instant.now())).isTrue();
            LockSupport.parkNanos(STRETCH_NANOS_MAX * (cycle % 7) / 7);
        }
        for (Process process : processes) {
            process.getOutputStream().write('.');
            process.getOutputStream().flush();
        }
        for (Process process : processes) {
            assertThat(process.waitFor()).isZero();
        }

        long accesses = 0;
        List<String> violations = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            for (String line : Files.readAllLines(folder.resolve("trace-" + i))) {
                TracedDisk.Access access = TracedDisk.Access.parse(line);
                accesses++;
                for (Frozen stretch : frozen) {
                    if (stretch.has(access)) {
                        violations.add(access.what());
                    }
                }
            }
        }
        List<String> done = new ArrayList<>();
        int sent = 0;
        int kept = 0;
        int outcomes = 0;
        for (int i = 0; i < PROCESSES; i++) {
            for (String line : Files.readAllLines(folder.resolve("trace-" + i + ".sent"))) {
                sent++;
                kept += line.endsWith("Withheld") ? 1 : 0;
                assertThat(line).matches(".* (Delivered|Withheld)");
            }
            for (String line : Files.readAllLines(folder.resolve("trace-" + i + ".done"))) {
                outcomes += line.endsWith("Withheld") ? 1 : 0;
                assertThat(line).matches(".* (Settled|Withheld)");
                done.add(line.substring(0, line.indexOf(' ')));
            }
        }
        drain(hive, done);
        System.out.printf(
                "lock storm: %d cycles, %d accesses, %d of them under the lock; %d sent, %d kept in"
                        + " the mirror, %d outcomes kept%n",
                CYCLES, accesses, violations.size(), sent, kept, outcomes);
        assertThat(violations).isEmpty();
        assertThat(kept).isPositive();
        assertThat(done).hasSize(sent).doesNotHaveDuplicates();
    }

    /// Releases what waits in the mirror, and finishes all that is left.
    private static void drain(StormHive hive, List<String> done) throws Exception {
        Domain code = StormHive.CODE;
        try (FileTransport transport = hive.open(Actor.parse("drain"))) {
            transport.bringHome();
            for (KeptMail mail : transport.kept()) {
                assertThat(transport.release(mail).copies())
                        .allSatisfy(copy ->
                                assertThat(copy.result()).isInstanceOf(SendResult.Delivered.class));
            }
            Inbox inbox = transport.inbox(code);
            while (inbox.select(Actor.parse("drain"), Lease.unattended(Duration.ofMinutes(1)))
                    instanceof Selection.Taken taken) {
                inbox.settle(taken.claim().token(), new Outcome.Done(""));
                done.add(taken.claim().envelope().id().text());
            }
            assertThat(transport.catalog().all(code))
                    .allSatisfy(item -> assertThat(item.state()).isEqualTo(State.DONE));
        }
    }
}
