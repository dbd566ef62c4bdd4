package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.ChildJvm;
import dev.pheromone.disk.TracedDisk;
import dev.pheromone.file.embargo.KeptMail;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.lock.Locksmith;

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

/// The hive is locked and unlocked again and again while four processes send, take and finish mail.
/// With `rsm lock` nobody touches anything in it between the return of the one and the start of the
/// other; with a lock made by hand only operations that had asked before do.
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class LockStormTest {

    private static final int PROCESSES = 4;
    private static final int CYCLES = Boolean.getBoolean("rsm.long") ? 1_000 : 24;

    /// How long the hive stays locked, and how long free, at most.
    private static final long STRETCH_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(20);

    @TempDir Path folder;

    /// Before the last of them the locks rest, long enough for the guard to trust what it knows.
    private static final int RESTED_CYCLES = 2;

    private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(2_300);

    /// A time in which nothing may be touched.
    private record Frozen(long fromNanos, long untilNanos) {

        boolean has(TracedDisk.Access access) {
            return access.endedNanos() > fromNanos && access.beganNanos() < untilNanos;
        }
    }

    /// How the lock is set and lifted.
    private interface Locker {
        void lock() throws Exception;

        void unlock() throws Exception;
    }

    @Test
    void betweenLockAndUnlockNothingIsTouchedAndNothingIsLost() throws Exception {
        StormHive hive = hive();
        Locksmith smith = new Locksmith(hive.layout(), new LockFiles(hive.layout()));
        Locker locker =
                new Locker() {
                    @Override
                    public void lock() throws Exception {
                        assertThat(smith.lockHive("storm").isQuiet()).isTrue();
                    }

                    @Override
                    public void unlock() throws Exception {
                        assertThat(smith.unlockHive(Instant.now()).orElseThrow().breaches())
                                .isEmpty();
                    }
                };
        assertThat(underLock(hive, "rsm lock", locker)).isEmpty();
    }

    @Test
    void underALockMadeByHandOnlyOperationsThatHadAskedGoOn() throws Exception {
        StormHive hive = hive();
        Path lock = LockFiles.hiveLock(hive.layout());
        long[] touched = new long[CYCLES];
        int[] cycle = {0};
        Locker locker =
                new Locker() {
                    @Override
                    public void lock() throws Exception {
                        Files.createFile(lock);
                        touched[cycle[0]++] = System.nanoTime();
                    }

                    @Override
                    public void unlock() throws Exception {
                        Files.delete(lock);
                    }
                };
        List<TracedDisk.Access> late = underLock(hive, "touch", locker);
        List<String> violations = new ArrayList<>();
        for (TracedDisk.Access access : late) {
            // The last lock before it.
            long since = 0;
            for (long at : touched) {
                since = at <= access.endedNanos() ? Math.max(since, at) : since;
            }
            if (access.enteredNanos() == 0 || access.enteredNanos() > since) {
                violations.add(access.what());
            }
        }
        assertThat(violations).isEmpty();
    }

    private StormHive hive() throws Exception {
        return StormHive.create(Files.createDirectory(folder.resolve("hive")));
    }

    /// Lets it storm, and returns what was touched while the hive was locked. Nothing is lost, and
    /// nothing done twice.
    private List<TracedDisk.Access> underLock(StormHive hive, String how, Locker locker)
            throws Exception {
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
            if (cycle >= CYCLES - RESTED_CYCLES) {
                LockSupport.parkNanos(REST_NANOS);
            }
            locker.lock();
            long from = System.nanoTime();
            LockSupport.parkNanos(STRETCH_NANOS_MAX * (cycle % 5) / 5);
            frozen.add(new Frozen(from, System.nanoTime()));
            locker.unlock();
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
        List<TracedDisk.Access> touched = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            for (String line : Files.readAllLines(folder.resolve("trace-" + i))) {
                TracedDisk.Access access = TracedDisk.Access.parse(line);
                accesses++;
                if (frozen.stream().anyMatch(stretch -> stretch.has(access))) {
                    touched.add(access);
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
                "lock storm by %s: %d cycles, %d accesses, %d of them under the lock; %d sent, %d"
                        + " kept in the embargo, %d outcomes kept%n",
                how, CYCLES, accesses, touched.size(), sent, kept, outcomes);
        assertThat(kept).isPositive();
        assertThat(done).hasSize(sent).doesNotHaveDuplicates();
        return touched;
    }

    /// Releases what waits in the embargo, and finishes all that is left.
    private static void drain(StormHive hive, List<String> done) throws Exception {
        Domain code = StormHive.CODE;
        try (FileTransport transport = hive.open(Actor.parse("drain"))) {
            transport.embargo().bringHome();
            for (KeptMail mail : transport.embargo().mail()) {
                assertThat(transport.embargo().release(mail).copies())
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
