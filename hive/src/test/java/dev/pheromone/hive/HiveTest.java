package dev.pheromone.hive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pheromone.Outcome;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.hive.HiveOptions.Mode;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// Work as it should go, and work that fails.
@Timeout(60)
class HiveTest extends HiveFixture {

    @Nested
    class Modes {

        @Test
        void onceDoesOneAndEnds() throws Exception {
            send("first");
            send("second");

            Progress progress = hive(options(Mode.ONCE), HiveFixture::done).run();

            assertThat(progress.done()).isEqualTo(1);
            assertThat(inbox.waiting()).hasSize(1);
        }

        @Test
        void onceEndsWhenNothingComesInTime() throws Exception {
            CompletableFuture<Progress> run =
                    start(
                            hive(
                                    options(Mode.ONCE).withPatience(Duration.ofMinutes(1)),
                                    HiveFixture::done));
            await().until(() -> inbox.selects.get() > 0);
            assertThat(run).isNotDone();
            clock.advance(Duration.ofMinutes(1));

            assertThat(end(run).done()).isZero();
        }

        @Test
        void drainEndsWhenNothingIsLeft() throws Exception {
            for (int i = 0; i < 20; i++) {
                send("mail " + i);
            }
            Progress progress =
                    hive(options(Mode.DRAIN).withConcurrency(4), HiveFixture::done).run();

            assertThat(progress.done()).isEqualTo(20);
            assertThat(inbox.waiting()).isEmpty();
        }

        @Test
        void drainTakesWhatRunningWorkGivesBack() throws Exception {
            send("hot potato");
            AtomicInteger calls = new AtomicInteger();

            Progress progress =
                    hive(
                                    options(Mode.DRAIN),
                                    claim ->
                                            calls.incrementAndGet() == 1
                                                    ? new Outcome.Released("not now")
                                                    : new Outcome.Done(""))
                            .run();

            assertThat(progress.released()).isEqualTo(1);
            assertThat(progress.done()).isEqualTo(1);
        }

        @Test
        void foreverWakesForWhatArrives() throws Exception {
            CountDownLatch arrived = new CountDownLatch(3);
            Hive hive =
                    hive(
                            options(Mode.FOREVER),
                            claim -> {
                                arrived.countDown();
                                return done(claim);
                            });
            CompletableFuture<Progress> run = start(hive);
            for (int i = 0; i < 3; i++) {
                send("mail " + i);
            }
            assertThat(arrived.await(30, TimeUnit.SECONDS)).isTrue();
            hive.stop();

            assertThat(end(run).done()).isEqualTo(3);
        }
    }

    @Nested
    class Slots {

        @Test
        void asManyAtOnceAsAskedForAndNotMore() throws Exception {
            for (int i = 0; i < 12; i++) {
                send("mail " + i);
            }
            AtomicInteger running = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();
            CountDownLatch three = new CountDownLatch(3);
            Progress progress =
                    hive(
                                    options(Mode.DRAIN).withConcurrency(3),
                                    claim -> {
                                        int now = running.incrementAndGet();
                                        most.accumulateAndGet(now, Math::max);
                                        three.countDown();
                                        assertThat(three.await(30, TimeUnit.SECONDS)).isTrue();
                                        running.decrementAndGet();
                                        return done(claim);
                                    })
                            .run();

            assertThat(progress.done()).isEqualTo(12);
            assertThat(most).hasValue(3);
        }

        @Test
        void fullSlotsAskForNothing() throws Exception {
            send("long work");
            send("waits");
            Semaphore finish = new Semaphore(0);
            Hive hive =
                    hive(
                            options(Mode.DRAIN),
                            claim -> {
                                finish.acquire();
                                return done(claim);
                            });
            CompletableFuture<Progress> run = start(hive);
            await().until(() -> hive.progress().running() == 1);
            int selects = inbox.selects.get();
            assertThat(hive.progress().waiting()).isEqualTo(1);
            assertThat(inbox.selects).hasValue(selects);
            finish.release(2);

            assertThat(end(run).done()).isEqualTo(2);
        }
    }

    @Nested
    class Failures {

        @Test
        void anExceptionIsAFailureWithItsMessage() throws Exception {
            send("flaky");
            Progress progress =
                    hive(
                                    options(Mode.DRAIN),
                                    claim -> {
                                        throw new IllegalStateException("tests are red");
                                    })
                            .run();

            assertThat(progress.failed()).isEqualTo(1);
            assertThat(settled().getFirst().outcome())
                    .isEqualTo(new Outcome.Failed("tests are red"));
        }

        @Test
        void anErrorEndsItsWorkAndNotTheHive() throws Exception {
            send("bottomless");
            send("fine");
            AtomicInteger calls = new AtomicInteger();
            Progress progress =
                    hive(
                                    options(Mode.DRAIN),
                                    claim -> {
                                        if (calls.incrementAndGet() == 1) {
                                            throw new StackOverflowError();
                                        }
                                        return done(claim);
                                    })
                            .run();

            assertThat(progress.failed()).isEqualTo(1);
            assertThat(progress.done()).isEqualTo(1);
        }

        @Test
        void fiveAttemptsWithPausesThenDead() throws Exception {
            send("poison");
            for (int attempt = 1; attempt <= 5; attempt++) {
                hive(options(Mode.DRAIN), claim -> new Outcome.Failed("no")).run();
                clock.advance(Duration.ofMinutes(10));
            }
            assertThat(settled()).hasSize(5);
            assertThat(settled().getLast().settlement())
                    .isEqualTo(new Settlement.Settled(State.DEAD, Settlement.Confirmation.UNKNOWN));
        }

        @Test
        void aTimeOutInterruptsAndFails() throws Exception {
            send("hangs");
            CompletableFuture<Progress> run =
                    start(
                            hive(
                                    options(Mode.DRAIN).withTimeout(Duration.ofMinutes(2)),
                                    claim -> hang()));
            await().until(() -> !reports.isEmpty());
            clock.advance(Duration.ofMinutes(2));

            assertThat(end(run).failed()).isEqualTo(1);
            assertThat(settled().getFirst().outcome())
                    .isEqualTo(new Outcome.Failed("timed out after 2m"));
            assertThat(inbox.interrupts).hasValue(0);
        }

        @Test
        void workThatIgnoresItsInterruptLosesItsSlotButNotTheHive() throws Exception {
            send("deaf");
            Semaphore release = new Semaphore(0);
            CompletableFuture<Progress> run =
                    start(
                            hive(
                                    options(Mode.DRAIN).withTimeout(Duration.ofMinutes(2)),
                                    claim -> {
                                        release.acquireUninterruptibly();
                                        return done(claim);
                                    }));
            await().until(() -> !reports.isEmpty());
            clock.advance(Duration.ofMinutes(2));
            await().until(() -> {
                clock.advance(Duration.ofSeconds(10));
                return run.isDone();
            });

            assertThat(end(run).failed()).isEqualTo(1);
            assertThat(reports).hasAtLeastOneElementOfType(Report.Abandoned.class);
            release.release();
        }
    }

    @Test
    void everyEnvelopeIsWorkedOnOnceWhateverGoesWrongOnTheWay() throws Exception {
        for (int i = 0; i < 500; i++) {
            send("mail " + i);
        }
        Set<String> worked = ConcurrentHashMap.newKeySet();
        AtomicInteger twice = new AtomicInteger();
        AtomicInteger count = new AtomicInteger();
        Hive hive =
                hive(
                        options(Mode.DRAIN).withConcurrency(8),
                        claim -> {
                            if (count.incrementAndGet() % 7 == 0) {
                                inbox.selectFailures.incrementAndGet();
                                inbox.settleFailures.incrementAndGet();
                            }
                            if (!worked.add(claim.envelope().id().text())) {
                                twice.incrementAndGet();
                            }
                            return done(claim);
                        });

        assertThat(hive.run().done()).isEqualTo(500);
        assertThat(worked).hasSize(500);
        assertThat(twice).hasValue(0);
    }

    @Test
    void theRateIsOfTheLastMinute() throws Exception {
        send("one");
        send("two");
        Hive hive = hive(options(Mode.DRAIN), HiveFixture::done);
        assertThat(hive.run().perMinute()).isEqualTo(2);
        clock.advance(Duration.ofMinutes(1));

        assertThat(hive.progress().perMinute()).isZero();
        assertThat(hive.progress().done()).isEqualTo(2);
    }
}
