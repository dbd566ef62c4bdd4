package dev.pheromone.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

@Timeout(60)
class GroupCommitTest {

    private final AtomicInteger forces = new AtomicInteger();

    @Test
    void whoWaitsReturnsAfterAForce() throws IOException {
        try (var commits = new GroupCommit(_ -> forces.incrementAndGet())) {
            commits.await(commits.wrote());
            assertThat(forces).hasValue(1);
        }
        assertThat(forces).hasValue(1);
    }

    @Test
    void whoeverComesWhileAForceRunsSharesTheNext() throws Exception {
        int followers = 10;
        var firstRuns = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        var commits =
                new GroupCommit(_ -> {
                    if (forces.incrementAndGet() == 1) {
                        firstRuns.countDown();
                        awaitLatch(goOn);
                    }
                });
        long first = commits.wrote();
        var threads = new ArrayList<Thread>();
        threads.add(Thread.ofPlatform().start(() -> await(commits, first)));
        firstRuns.await();
        for (int i = 0; i < followers; i++) {
            long number = commits.wrote();
            threads.add(Thread.ofPlatform().start(() -> await(commits, number)));
        }
        goOn.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(forces.get()).isEqualTo(2);
    }

    @Test
    void whoDoesNotWaitIsForcedSoon() throws Exception {
        var forced = new Semaphore(0);
        var commits = new GroupCommit(_ -> forced.release());
        for (int round = 0; round < 5; round++) {
            commits.soon(commits.wrote());
            assertThat(forced.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
        }
        commits.close();
    }

    @Test
    void aWriteDuringAnothersForceIsNotForgotten() throws Exception {
        var forced = new Semaphore(0);
        var firstRuns = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        var commits =
                new GroupCommit(_ -> {
                    if (forces.incrementAndGet() == 1) {
                        firstRuns.countDown();
                        awaitLatch(goOn);
                    } else {
                        forced.release();
                    }
                });
        long first = commits.wrote();
        Thread leader = Thread.ofPlatform().start(() -> await(commits, first));
        firstRuns.await();
        commits.soon(commits.wrote());
        goOn.countDown();
        leader.join();
        assertThat(forced.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
        commits.close();
    }

    @Test
    void closingForcesWhatIsLeft() throws IOException {
        var commits = new GroupCommit(_ -> forces.incrementAndGet());
        commits.wrote();
        commits.close();
        assertThat(forces).hasValue(1);
    }

    @Test
    void aFailedForceIsToldToEachOfItsWaitersAndNeverRepeated() {
        var fails = new AtomicInteger(1);
        var commits =
                new GroupCommit(_ -> {
                    forces.incrementAndGet();
                    if (fails.getAndDecrement() > 0) {
                        throw new IOException("disk on fire");
                    }
                });
        long one = commits.wrote();
        long two = commits.wrote();
        assertThatThrownBy(() -> commits.await(two))
                .isInstanceOf(IOException.class)
                .hasMessage("written, but whether it is on the disk is unknown: disk on fire");
        assertThatThrownBy(() -> commits.await(one)).isInstanceOf(IOException.class);
        assertThat(forces).hasValue(1);
        assertThatCode(() -> commits.await(commits.wrote())).doesNotThrowAnyException();
        assertThatThrownBy(commits::close)
                .hasMessageStartingWith("writes 1 to 2 may not be on the disk");
    }

    private static void await(GroupCommit commits, long number) {
        try {
            commits.await(number);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static void awaitLatch(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}
