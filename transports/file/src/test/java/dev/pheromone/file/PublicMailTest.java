package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.embargo.KeptMail;
import dev.pheromone.file.remote.Outbox;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// Public mail in a file hive goes through the check at every way in.
final class PublicMailTest {

    private static final SendResult REFUSED =
            new SendResult.NotPublic(List.of("password"), "it holds a password");

    @TempDir Path root;
    private TestHive hive;
    private Envelope telling;

    @BeforeEach
    void make() throws IOException {
        hive = new TestHive(root);
        telling = hive.mail().consent(Consent.PUBLIC).body("hunter2\n").seal();
    }

    @Test
    void aHiveThatWasOpenedWithoutACheckRefusesAllOfIt() throws Exception {
        try (FileTransport unchecked = hive.openReally()) {
            Envelope open = hive.mail().consent(Consent.PUBLIC).seal();
            assertThat(result(unchecked.send(open))).isInstanceOf(SendResult.NotPublic.class);
            assertThat(result(unchecked.send(hive.mail().seal())))
                    .isInstanceOf(SendResult.Delivered.class);
        }
        assertThat(mailIn(hive.layout.inbox(TestHive.CODE))).isEqualTo(1);
    }

    @Test
    void underALockItIsNotKeptEither() throws Exception {
        lock();
        try (FileTransport transport = hive.open()) {
            assertThat(result(transport.send(telling))).isEqualTo(REFUSED);
            assertThat(transport.embargo().mail()).isEmpty();
        }
    }

    @Test
    void whatWasKeptUnchangedIsLookedThroughWhenItIsReleased() throws Exception {
        // As a program that has no check would keep it.
        Path folder = Files.createDirectories(hive.layout.mirrorInboxes().resolve("queen-code"));
        Files.write(folder.resolve(telling.id() + ".md"), telling.bytes());
        try (FileTransport transport = hive.open()) {
            KeptMail kept = transport.embargo().mail().getFirst();
            assertThat(result(transport.embargo().release(kept))).isEqualTo(REFUSED);
            assertThat(transport.embargo().mail()).hasSize(1);
        }
        assertThat(mailIn(hive.layout.inbox(TestHive.CODE))).isZero();
    }

    @Test
    void whatWaitsForATransportThatFindsSomethingInItEndsAsDead() throws Exception {
        Path there = Files.createDirectories(root.resolve("there"));
        TestHive other = new TestHive(there);
        try (FileTransport transport = hive.open();
                FileTransport far = other.open()) {
            Outbox outbox = transport.remote().outbox("team");
            // As mail that was written before its secret was known to be one.
            Receipt _ = outbox.keep(telling, "away");
            assertThat(outbox.forward(far, 10).ended()).isEqualTo(1);
            assertThat(TestHive.states(transport)).containsExactly(State.DEAD);
            assertThat(mailIn(other.layout.inbox(TestHive.CODE))).isZero();
        }
    }

    private void lock() throws IOException {
        Files.createFile(hive.layout.hive().resolve("ROTG-2-RESPECT-DO-NOT-ERASE.lock"));
    }

    private static SendResult result(Receipt receipt) {
        return receipt.copies().getFirst().result();
    }

    private static long mailIn(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".md")).count();
        }
    }
}
