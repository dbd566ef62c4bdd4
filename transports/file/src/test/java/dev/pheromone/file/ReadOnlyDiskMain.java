package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Outcome;
import dev.pheromone.SendResult;
import dev.pheromone.disk.KernelLock;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.lock.Gate;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.lock.Locksmith;
import dev.pheromone.selection.Waiting;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/// A process that makes a hive, and one that uses it when its file system is read-only: `FOLDER
/// prepare|read`.
final class ReadOnlyDiskMain {

    private static final String READ_ONLY = "Read-only file system";

    private ReadOnlyDiskMain() {}

    public static void main(String[] arguments) throws Exception {
        TestHive hive =
                new TestHive(Path.of(arguments[0]), Instant.now().plus(Duration.ofMinutes(5)));
        if (arguments[1].equals("prepare")) {
            prepare(hive);
        } else {
            read(hive);
        }
    }

    /// One copy is done, one waits, one was claimed by somebody who died, one is on its way back.
    private static void prepare(TestHive hive) throws Exception {
        // Where nobody can take a lock later, something is to be brought back.
        Files.createDirectories(hive.layout.mirrorOutcomes());
        Files.createDirectories(hive.layout.parked());
        try (FileTransport transport = hive.open()) {
            Inbox inbox = transport.inbox(TestHive.CODE);
            transport.send(hive.mail().seal());
            inbox.settle(TestHive.take(inbox).token(), new Outcome.Done(""));
            transport.send(hive.mail().seal());
            Claim claim = TestHive.take(inbox);
            transport.send(hive.mail().seal());
            TestHive.take(inbox);
            transport.send(hive.mail().seal());
            Files.createDirectories(hive.layout.returning(TestHive.CODE));
            Files.move(
                    hive.layout.active(TestHive.CODE).resolve(claim.token() + ".md"),
                    hive.layout.returning(TestHive.CODE).resolve(claim.token() + ".md"));
        }
    }

    private static void read(TestHive hive) throws Exception {
        hive.clock.advance(Duration.ofMinutes(10));
        try (FileTransport transport = hive.openReally()) {
            Inbox inbox = transport.inbox(TestHive.CODE);
            transport.reap(TestHive.CODE);
            assertThat(transport.problems()).anyMatch(problem -> problem.contains(READ_ONLY));
            assertThat(inbox.waiting()).hasSize(1).hasOnlyElementsOfType(Waiting.Mail.class);
            assertThat(TestHive.states(transport)).hasSize(4);
            assertThat(transport.upkeep().coverage(Instant.EPOCH).facts()).isPositive();
            assertThat(transport.throttled(TestHive.CODE)).isEmpty();
            assertThat(transport.picking(TestHive.CODE).preview()).isPresent();
            assertThat(hive.events()).isNotEmpty();

            assertThatThrownBy(() -> inbox.select(TestHive.WORKER, TestHive.LEASE))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(READ_ONLY);
            assertThat(transport.send(hive.mail().seal()).copies().getFirst().result())
                    .isInstanceOfSatisfying(
                            SendResult.Failed.class,
                            failed -> assertThat(failed.cause()).hasMessageContaining(READ_ONLY));
            assertThatThrownBy(() ->
                            new Locksmith(hive.layout, new LockFiles(hive.layout))
                                    .lockHive("freeze"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(READ_ONLY);
        }
        // Whoever would keep all others out of the hive is told that nobody can, as of any file.
        try (KernelLock gate = LocalDisk.openLock(hive.layout.embargo().resolve(Gate.NAME))) {
            assertThat(gate.tryShared()).isTrue();
            gate.release();
            assertThatThrownBy(gate::tryAlone)
                    .isInstanceOf(AccessDeniedException.class)
                    .hasMessageContaining("it can only be read");
        }
    }
}
