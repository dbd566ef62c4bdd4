package dev.pheromone.hive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pheromone.Outcome;
import dev.pheromone.hive.HiveOptions.Mode;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

/// Leases that are kept, and stops that lose nothing.
@Timeout(60)
class HiveStopTest extends HiveFixture {

    @Nested
    class Leases {

        @Test
        void aSignOfLifeIsGivenEveryThirdOfALease() throws Exception {
            send("long work");
            Semaphore finish = new Semaphore(0);
            CompletableFuture<Progress> run =
                    start(
                            hive(
                                    options(Mode.DRAIN).withTimeout(Duration.ofHours(1)),
                                    claim -> {
                                        finish.acquire();
                                        return done(claim);
                                    }));
            await().until(() -> !reports.isEmpty());
            for (int i = 1; i <= 9; i++) {
                int beats = i;
                clock.advance(Duration.ofSeconds(20));
                await().until(() -> inbox.renewals.get() == beats);
            }
            finish.release();

            assertThat(end(run).done()).isEqualTo(1);
        }

        @Test
        void aLostClaimInterruptsItsWorkAndIsTold() throws Exception {
            send("contested");
            CountDownLatch interrupted = new CountDownLatch(1);
            CompletableFuture<Progress> run =
                    start(
                            hive(
                                    options(Mode.ONCE),
                                    claim -> {
                                        try {
                                            return hang();
                                        } finally {
                                            interrupted.countDown();
                                        }
                                    }));
            await().until(() -> !reports.isEmpty());
            inbox.losing = true;
            clock.advance(Duration.ofSeconds(20));

            assertThat(end(run).lost()).isEqualTo(1);
            assertThat(interrupted.getCount()).isZero();
            assertThat(reports).hasAtLeastOneElementOfType(Report.Lost.class);
            assertThat(settled()).isEmpty();
        }

        @Test
        void aRenewalThatFailsIsTriedAgainSoon() throws Exception {
            send("long work");
            Semaphore finish = new Semaphore(0);
            CompletableFuture<Progress> run =
                    start(
                            hive(
                                    options(Mode.ONCE),
                                    claim -> {
                                        finish.acquire();
                                        return done(claim);
                                    }));
            await().until(() -> !reports.isEmpty());
            inbox.renewFailures.set(2);
            await().until(() -> {
                clock.advance(Duration.ofSeconds(1));
                return inbox.renewals.get() > 0;
            });
            finish.release();

            assertThat(end(run).done()).isEqualTo(1);
            assertThat(reports).hasAtLeastOneElementOfType(Report.Trouble.class);
        }
    }

    @Nested
    class Stops {

        @Test
        void runningWorkMayFinish() throws Exception {
            send("almost done");
            send("not begun");
            Semaphore finish = new Semaphore(0);
            Hive hive =
                    hive(
                            options(Mode.FOREVER),
                            claim -> {
                                finish.acquire();
                                return done(claim);
                            });
            CompletableFuture<Progress> run = start(hive);
            await().until(() -> !reports.isEmpty());
            hive.stop();
            assertThat(run).isNotDone();
            finish.release();

            assertThat(end(run).done()).isEqualTo(1);
            assertThat(inbox.waiting()).hasSize(1);
        }

        @Test
        void whatIsStillRunningAfterTheGraceIsGivenBack() throws Exception {
            send("endless");
            Hive hive = hive(options(Mode.FOREVER), claim -> hang());
            CompletableFuture<Progress> run = start(hive);
            await().until(() -> !reports.isEmpty());
            hive.stop();
            clock.advance(Duration.ofSeconds(30));

            assertThat(end(run).released()).isEqualTo(1);
            assertThat(inbox.waiting()).hasSize(1);
            assertThat(inbox.interrupts).hasValue(0);
        }

        @Test
        void stopNowGivesBackAtOnce() throws Exception {
            send("endless");
            Hive hive = hive(options(Mode.FOREVER), claim -> hang());
            CompletableFuture<Progress> run = start(hive);
            await().until(() -> !reports.isEmpty());
            hive.stop();
            hive.stopNow();

            assertThat(end(run).released()).isEqualTo(1);
        }

        @Test
        void workThatIsDoneInSpiteOfAllIsDone() throws Exception {
            send("stubborn");
            Hive hive =
                    hive(
                            options(Mode.FOREVER),
                            claim -> {
                                try {
                                    return hang();
                                } catch (InterruptedException e) {
                                    return new Outcome.Done("just in time");
                                }
                            });
            CompletableFuture<Progress> run = start(hive);
            await().until(() -> !reports.isEmpty());
            hive.stopNow();

            assertThat(end(run).done()).isEqualTo(1);
        }

        @Test
        void toInterruptTheCallerIsToStop() throws Exception {
            Hive hive = hive(options(Mode.FOREVER), HiveFixture::done);
            Thread caller = Thread.ofVirtual().start(hive::run);
            await().until(() -> inbox.selects.get() > 0);
            caller.interrupt();

            assertThat(caller.join(Duration.ofSeconds(30))).isTrue();
        }
    }
}
