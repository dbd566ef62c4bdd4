package dev.pheromone.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.disk.ChildJvm;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.KernelLock;
import dev.pheromone.disk.LocalDisk;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

@Timeout(value = 2, unit = TimeUnit.MINUTES)
final class GateTest {

    @TempDir Path root;

    private HiveLayout layout;

    @BeforeEach
    void makeHive() throws IOException {
        root = root.toRealPath();
        layout = new HiveLayout(root);
        Files.createDirectories(layout.hive());
        EmbargoFolder.make(new LocalDisk(), layout);
    }

    @Nested
    class WhileAnotherProcessIsAlwaysInside {

        private static final int LOCKERS = 15;
        private static final Duration PATIENCE = Duration.ofSeconds(20);

        /// What half of the lockers must reach: the machine may be busy with something else during
        /// a single one.
        private static final Duration TYPICAL_MAX = Duration.ofMillis(100);

        @ParameterizedTest
        @CsvSource({"4, compute", "200, write"})
        void aLockerGetsTheGate(String threads, String work) throws Exception {
            Gate gate = Gate.of(layout);
            assertThat(waits(threads, work, () -> gate.alone(PATIENCE, () -> {})))
                    .satisfies(this::areShort);
        }

        /// Version 0.1 asks the kernel every millisecond and tells nobody that it waits.
        @ParameterizedTest
        @CsvSource({"4, compute", "200, write"})
        void aLockerOfAnEarlierVersionGetsTheGate(String threads, String work) throws Exception {
            try (KernelLock lock = LocalDisk.openLock(layout.embargo().resolve(Gate.NAME))) {
                assertThat(waits(threads, work, () -> isTaken(lock))).satisfies(this::areShort);
            }
        }

        private interface Locker {
            boolean gets() throws Exception;
        }

        private static boolean isTaken(KernelLock lock) throws IOException {
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (!lock.tryAlone()) {
                if (System.nanoTime() > end) {
                    return false;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
            lock.release();
            return true;
        }

        /// How long each of some lockers waited, the shortest first.
        private List<Duration> waits(String threads, String work, Locker locker) throws Exception {
            Process crowd =
                    ChildJvm.plain()
                            .of(GateCrowdMain.class, root.toString(), threads, work)
                            .redirectError(Redirect.INHERIT)
                            .start();
            try (BufferedReader says = crowd.inputReader(StandardCharsets.UTF_8);
                    OutputStream asks = crowd.getOutputStream()) {
                List<Duration> waits = new ArrayList<>();
                for (int i = 0; i < LOCKERS; i++) {
                    asks.write('\n');
                    asks.flush();
                    assertThat(says.readLine()).isEqualTo("inside");
                    long begun = System.nanoTime();
                    assertThat(locker.gets()).as("locker %d got the gate", i).isTrue();
                    waits.add(Duration.ofNanos(System.nanoTime() - begun));
                }
                return waits.stream().sorted().toList();
            } finally {
                crowd.destroyForcibly().waitFor();
            }
        }

        private void areShort(List<? extends Duration> sorted) {
            assertThat(sorted.get(LOCKERS / 2)).as("%s", sorted).isLessThan(TYPICAL_MAX);
        }
    }

    @Nested
    class OnceItHasBeenSharedForLong {

        @Test
        void aThreadThatIsInsideComesInAgain() throws Exception {
            Gate gate = Gate.of(layout);
            Gate.Visit outer = gate.enter();
            shareForLong();
            Gate.Visit inner = gate.enter();
            inner.leave();
            outer.leave();
        }

        @Test
        void aThreadForWhichThoseInsideWaitComesIn() throws Exception {
            Gate gate = Gate.of(layout);
            CountDownLatch helped = new CountDownLatch(1);
            Gate.Visit waiter = gate.enter();
            shareForLong();
            List<Thread> threads = new ArrayList<>();
            // Only the last of those that come can help.
            for (int i = 0; i < 10; i++) {
                boolean helps = i == 9;
                threads.add(
                        Thread.ofPlatform()
                                .start(() -> {
                                    Gate.Visit visit = entered(gate);
                                    if (helps) {
                                        helped.countDown();
                                    }
                                    visit.leave();
                                }));
            }
            helped.await();
            waiter.leave();
            for (Thread thread : threads) {
                thread.join();
            }
        }

        @Test
        void aVisitThatAnotherThreadEndsIsOver() throws Exception {
            Gate gate = Gate.of(layout);
            Gate.Visit visit = gate.enter();
            Thread.ofPlatform().start(visit::leave).join();
            assertThat(gate.alone(Duration.ofSeconds(20), () -> {})).isTrue();
        }

        private static Gate.Visit entered(Gate gate) {
            try {
                return gate.enter();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static void shareForLong() {
            long begun = System.nanoTime();
            while (System.nanoTime() - begun < 2 * Gate.SHARED_MAX_NANOS) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void aLockerOfTheSameProcessGetsTheGateWhileThreadsFollowOneAnother() throws Exception {
        Gate gate = Gate.of(layout);
        Thread[] crowd = new Thread[4];
        CountDownLatch allWereInside = new CountDownLatch(crowd.length);
        for (int i = 0; i < crowd.length; i++) {
            crowd[i] =
                    Thread.ofPlatform()
                            .daemon()
                            .start(() -> {
                                while (!Thread.currentThread().isInterrupted()) {
                                    Gate.Visit visit = OnceItHasBeenSharedForLong.entered(gate);
                                    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1);
                                    while (System.nanoTime() < end) {
                                        Thread.onSpinWait();
                                    }
                                    visit.leave();
                                    allWereInside.countDown();
                                }
                            });
        }
        allWereInside.await();
        try {
            assertThat(gate.alone(Duration.ofSeconds(20), () -> {})).isTrue();
        } finally {
            for (Thread thread : crowd) {
                thread.interrupt();
                thread.join();
            }
        }
    }
}
