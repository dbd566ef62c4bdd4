package dev.pheromone.file.embargo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Outcome;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.TestHive;
import dev.pheromone.file.upkeep.Recovery;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.lock.LockFiles;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/// Under a lock the first outcome of a claim counts, and whoever says another one is told.
final class KeptOutcomesTest {

    private static final String CLAIM = "claim";

    @TempDir private Path root;
    private TestHive hive;

    @BeforeEach
    void makeHive() throws IOException {
        hive = new TestHive(root);
    }

    private String keep(@Nullable Domain inbox, Outcome outcome) throws IOException {
        return keep(inbox, CLAIM, outcome);
    }

    private String keep(@Nullable Domain inbox, String claim, Outcome outcome) throws IOException {
        return new KeptOutcomes(hive.files(), hive.layout)
                .keep(inbox, claim, outcome, TestHive.WORKER, hive.clock.instant());
    }

    @Test
    void theSameOutcomeMayBeSaidTwice() throws IOException {
        String first = keep(null, new Outcome.Done("fixed"));

        assertThat(keep(null, new Outcome.Done("fixed, really"))).isEqualTo(first);
        assertThat(keep(TestHive.CODE, new Outcome.Done(""))).isEqualTo(first);
    }

    @Test
    void anotherOneIsRefusedAndTheFirstNamed() throws IOException {
        String first = keep(null, new Outcome.Failed("broke"));

        assertThatThrownBy(() -> keep(null, new Outcome.Done("fixed")))
                .isInstanceOf(OtherOutcomeException.class)
                .hasMessageContainingAll("\"error\"", first);
        assertThatThrownBy(() -> keep(TestHive.CODE, new Outcome.Done("fixed")))
                .isInstanceOf(OtherOutcomeException.class);
    }

    @Test
    void aWorkerThatSaysAnotherOneHasLostItsClaim() throws Exception {
        try (FileTransport transport = hive.open()) {
            transport.send(hive.mail().seal());
            Inbox inbox = transport.inbox(TestHive.CODE);
            Claim claim = TestHive.take(inbox);
            Files.createFile(LockFiles.hiveLock(hive.layout));

            assertThat(inbox.settle(claim.token(), new Outcome.Failed("broke")))
                    .isInstanceOf(Settlement.Withheld.class);
            assertThat(inbox.settle(claim.token(), new Outcome.Done("fixed")))
                    .isInstanceOf(Settlement.Lost.class);
        }
    }

    @Test
    void aClaimWhoseOutcomeWaitsIsNotTakenBack() throws Exception {
        try (FileTransport transport = hive.open()) {
            transport.send(hive.mail().seal());
            Inbox inbox = transport.inbox(TestHive.CODE);
            String token = TestHive.take(inbox).token();
            keep(TestHive.CODE, token, new Outcome.Done("fixed"));
            hive.clock.advance(Duration.ofHours(1));
            // Another process is about to apply it.
            Path lock = hive.layout.embargo().resolve(".homecoming.lock");
            try (Closeable _ = new LocalDisk().tryLock(lock).orElseThrow()) {
                TestHive.assertNothing(inbox);
            }
            TestHive.assertNothing(inbox);
            assertThat(TestHive.states(transport)).containsExactly(State.DONE);
            assertThat(hive.events("rsm_envelope_return")).isEmpty();
        }
    }

    @Test
    void anOutcomeStaysWhileALockHidesItsClaim() throws Exception {
        try (FileTransport transport = hive.open()) {
            transport.send(hive.mail().seal());
            Inbox inbox = transport.inbox(TestHive.CODE);
            String token = TestHive.take(inbox).token();
            keep(null, token, new Outcome.Done("fixed"));
            Path list = hive.layout.hive().resolve("do-not-read/list.txt");
            Files.createDirectories(list.getParent());
            Files.writeString(list, ".deia/active/code/**\n");
            try (FileTransport locked = hive.open()) {
                locked.upkeep().recover(Recovery.Extent.RECENT);
            } catch (WithheldException e) {
                // For the rest of recovery: the claims may not be read.
            }
            assertThat(hive.filesIn("../.embargo/outcome")).hasSize(1);
            Files.delete(list);
        }
        try (FileTransport free = hive.open()) {
            TestHive.assertNothing(free.inbox(TestHive.CODE));
            assertThat(TestHive.states(free)).containsExactly(State.DONE);
        }
    }
}
