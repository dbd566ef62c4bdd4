package dev.pheromone.hive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pheromone.hive.HiveOptions.Mode;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/// Disks that fail and locks that are set end nothing.
@Timeout(60)
class HiveTroubleTest extends HiveFixture {

    @Nested
    class Troubles {

        @Test
        void aTransportThatFailsIsToldOnceAndTriedAgain() throws Exception {
            send("patience");
            inbox.selectFailures.set(5);

            Progress progress = hive(options(Mode.DRAIN), HiveFixture::done).run();

            assertThat(progress.done()).isEqualTo(1);
            assertThat(reports.stream().filter(Report.Trouble.class::isInstance)).hasSize(1);
        }

        @Test
        void onceDoesNotWaitForADiskForEver() throws Exception {
            inbox.selectFailures.set(Integer.MAX_VALUE);

            assertThat(hive(options(Mode.ONCE), HiveFixture::done).run().done()).isZero();
        }

        @Test
        void whoDrainsWaitsForATransportThatFailsAndNotForEver() throws Exception {
            inbox.selectFailures.set(Integer.MAX_VALUE);
            CompletableFuture<Progress> run = start(hive(options(Mode.DRAIN), HiveFixture::done));
            await().until(() -> inbox.selectFailures.get() < Integer.MAX_VALUE - 5);
            assertThat(run).isNotDone();
            clock.advance(Duration.ofMinutes(1));

            assertThat(end(run).done()).isZero();
            assertThat(reports.stream().filter(Report.GaveUp.class::isInstance)).hasSize(1);
        }

        @Test
        void whoStaysDoesNotGiveUp() throws Exception {
            inbox.selectFailures.set(Integer.MAX_VALUE);
            Hive hive = hive(options(Mode.FOREVER), HiveFixture::done);
            CompletableFuture<Progress> run = start(hive);
            await().until(() -> inbox.selectFailures.get() < Integer.MAX_VALUE - 5);
            clock.advance(Duration.ofHours(1));
            int before = inbox.selectFailures.get();
            await().until(() -> inbox.selectFailures.get() < before - 5);
            assertThat(run).isNotDone();
            hive.stop();

            assertThat(end(run).done()).isZero();
        }

        @Test
        void anOutcomeIsWrittenAsSoonAsTheDiskTakesIt() throws Exception {
            send("full disk");
            inbox.settleFailures.set(5);

            Progress progress = hive(options(Mode.DRAIN), HiveFixture::done).run();

            assertThat(progress.done()).isEqualTo(1);
            assertThat(reports.stream().filter(Report.Trouble.class::isInstance)).hasSize(1);
        }

        @Test
        void anOutcomeThatCanNotBeWrittenForLongIsTold() throws Exception {
            send("dead disk");
            inbox.settleFailures.set(Integer.MAX_VALUE);
            CompletableFuture<Progress> run = start(hive(options(Mode.ONCE), HiveFixture::done));
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
                                    HiveFixture::done,
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
            Hive hive = hive(options(Mode.FOREVER), HiveFixture::done);
            CompletableFuture<Progress> run = start(hive);
            await().until(() -> inbox.selects.get() > 3);
            assertThat(run).isNotDone();
            inbox.locked = false;
            await().until(() -> reports.stream().anyMatch(Report.Settled.class::isInstance));
            hive.stop();

            assertThat(end(run).done()).isEqualTo(1);
            assertThat(reports.stream().filter(Report.Withheld.class::isInstance)).hasSize(1);
            assertThat(reports.stream().filter(Report.Free.class::isInstance)).hasSize(1);
        }

        @Test
        void whoDrainsDoesNotWaitForALockToGo() throws Exception {
            send("later");
            inbox.locked = true;

            assertThat(end(start(hive(options(Mode.DRAIN), HiveFixture::done))).done()).isZero();
            assertThat(reports.stream().filter(Report.Withheld.class::isInstance)).hasSize(1);
        }

        @Test
        void anOutcomeThatNotEvenTheMirrorTakesWaitsForTheLockToGo() throws Exception {
            send("frozen");
            inbox.mirrorLocked = true;
            CompletableFuture<Progress> run = start(hive(options(Mode.DRAIN), HiveFixture::done));
            await().until(() -> reports.stream().anyMatch(Report.Trouble.class::isInstance));
            inbox.mirrorLocked = false;

            assertThat(end(run).done()).isEqualTo(1);
        }
    }
}
