package dev.pheromone.hive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pheromone.Actor;
import dev.pheromone.Address;
import dev.pheromone.Claim;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.Lane;
import dev.pheromone.NoSuchInboxException;
import dev.pheromone.Outcome;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.hive.HiveOptions.Mode;
import dev.pheromone.testkit.FakeClock;
import dev.pheromone.testkit.MemoryTransport;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

@Timeout(60)
class HiveTest {

    private static final Domain CODE = Domain.parse("code");
    private static final Actor BUILDER = Actor.parse("builder");

    /// Quick looks, so that a test waits for what it waits for and not for a tick.
    private static final HiveLimits QUICK =
            new HiveLimits(
                    Duration.ofMillis(5),
                    Duration.ofMillis(200),
                    Duration.ofMillis(5),
                    Duration.ofMillis(1),
                    Duration.ofMillis(10),
                    Duration.ofMinutes(5),
                    Duration.ofSeconds(20));

    private final FakeClock clock = new FakeClock(Instant.parse("2025-10-15T17:10:00Z"));
    private final MemoryTransport transport = new MemoryTransport(clock, CODE);
    private final ConcurrentLinkedQueue<Report> reports = new ConcurrentLinkedQueue<>();
    private TroubledInbox inbox;

    @BeforeEach
    void open() throws NoSuchInboxException {
        inbox = new TroubledInbox(transport.inbox(CODE));
    }

    private void send(String topic) throws NoSuchInboxException {
        transport.send(
                Envelope.draft(
                                Actor.parse("ada"),
                                List.of(Address.parse("queen://code")),
                                Lane.CODE,
                                topic)
                        .ts(clock.instant())
                        .seal());
    }

    private static HiveOptions options(Mode mode) {
        return HiveOptions.defaults().withMode(mode);
    }

    private Hive hive(HiveOptions options, Worker worker) {
        return new Hive(inbox, BUILDER, worker, options, QUICK, clock, reports::add);
    }

    private static CompletableFuture<Progress> start(Hive hive) {
        return CompletableFuture.supplyAsync(hive::run);
    }

    private static Progress end(CompletableFuture<Progress> run) throws Exception {
        return run.get(30, TimeUnit.SECONDS);
    }

    private List<Report.Settled> settled() {
        return reports.stream()
                .filter(Report.Settled.class::isInstance)
                .map(Report.Settled.class::cast)
                .toList();
    }

    private static Outcome done(Claim claim) {
        return new Outcome.Done("");
    }

    /// Work that ends only when it is interrupted.
    private static Outcome hang() throws InterruptedException {
        new CountDownLatch(1).await();
        return new Outcome.Done("never");
    }

    @Nested
    class Modes {

        @Test
        void onceDoesOneAndEnds() throws Exception {
            send("first");
            send("second");

            Progress progress = hive(options(Mode.ONCE), HiveTest::done).run();

            assertThat(progress.done()).isEqualTo(1);
            assertThat(inbox.waiting()).hasSize(1);
        }

        @Test
        void onceEndsWhenNothingComesInTime() throws Exception {
            CompletableFuture<Progress> run =
                    start(
                            hive(
                                    options(Mode.ONCE).withPatience(Duration.ofMinutes(1)),
                                    HiveTest::done));
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
            Progress progress = hive(options(Mode.DRAIN).withConcurrency(4), HiveTest::done).run();

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
                    .isEqualTo(new Settlement.Settled(State.DEAD, Settlement.Confirmation.ON_DISK));
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
            Hive hive = hive(options(Mode.FOREVER), HiveTest::done);
            Thread caller = Thread.ofVirtual().start(hive::run);
            await().until(() -> inbox.selects.get() > 0);
            caller.interrupt();

            assertThat(caller.join(Duration.ofSeconds(30))).isTrue();
        }
    }

    @Nested
    class Troubles {

        @Test
        void aTransportThatFailsIsToldOnceAndTriedAgain() throws Exception {
            send("patience");
            inbox.selectFailures.set(5);

            Progress progress = hive(options(Mode.DRAIN), HiveTest::done).run();

            assertThat(progress.done()).isEqualTo(1);
            assertThat(reports.stream().filter(Report.Trouble.class::isInstance)).hasSize(1);
        }

        @Test
        void anOutcomeIsWrittenAsSoonAsTheDiskTakesIt() throws Exception {
            send("full disk");
            inbox.settleFailures.set(5);

            Progress progress = hive(options(Mode.DRAIN), HiveTest::done).run();

            assertThat(progress.done()).isEqualTo(1);
            assertThat(reports.stream().filter(Report.Trouble.class::isInstance)).hasSize(1);
        }

        @Test
        void anOutcomeThatCanNotBeWrittenForLongIsTold() throws Exception {
            send("dead disk");
            inbox.settleFailures.set(Integer.MAX_VALUE);
            CompletableFuture<Progress> run = start(hive(options(Mode.ONCE), HiveTest::done));
            await().until(() -> {
                clock.advance(Duration.ofSeconds(30));
                return run.isDone();
            });

            assertThat(end(run).lost()).isEqualTo(1);
            assertThat(reports).hasAtLeastOneElementOfType(Report.Unsettled.class);
        }

        @Test
        void aListenerThatFailsEndsNothing() throws Exception {
            send("heard");
            Progress progress =
                    new Hive(
                                    inbox,
                                    BUILDER,
                                    HiveTest::done,
                                    options(Mode.DRAIN),
                                    QUICK,
                                    clock,
                                    report -> {
                                        throw new IllegalStateException("deaf");
                                    })
                            .run();

            assertThat(progress.done()).isEqualTo(1);
        }
    }

    @Nested
    class Locks {

        @Test
        void aLockedInboxIsWaitedForAndToldOnce() throws Exception {
            send("later");
            inbox.locked = true;
            CompletableFuture<Progress> run = start(hive(options(Mode.DRAIN), HiveTest::done));
            await().until(() -> inbox.selects.get() > 3);
            assertThat(run).isNotDone();
            inbox.locked = false;

            assertThat(end(run).done()).isEqualTo(1);
            assertThat(reports.stream().filter(Report.Withheld.class::isInstance)).hasSize(1);
            assertThat(reports.stream().filter(Report.Free.class::isInstance)).hasSize(1);
        }

        @Test
        void anOutcomeThatNotEvenTheMirrorTakesWaitsForTheLockToGo() throws Exception {
            send("frozen");
            inbox.mirrorLocked = true;
            CompletableFuture<Progress> run = start(hive(options(Mode.DRAIN), HiveTest::done));
            await().until(() -> reports.stream().anyMatch(Report.Trouble.class::isInstance));
            inbox.mirrorLocked = false;

            assertThat(end(run).done()).isEqualTo(1);
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
        Hive hive = hive(options(Mode.DRAIN), HiveTest::done);
        assertThat(hive.run().perMinute()).isEqualTo(2);
        clock.advance(Duration.ofMinutes(1));

        assertThat(hive.progress().perMinute()).isZero();
        assertThat(hive.progress().done()).isEqualTo(2);
    }
}
