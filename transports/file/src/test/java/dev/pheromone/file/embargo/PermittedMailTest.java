package dev.pheromone.file.embargo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.SendResult;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.TestHive;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.lock.KeptTrust;
import dev.pheromone.lock.LockFiles;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

/// A person lets one envelope into one inbox in spite of a lock, and nothing else.
final class PermittedMailTest {

    @TempDir private Path root;
    private TestHive hive;
    private FileTransport transport;
    private Envelope envelope;
    private Path mail;

    @BeforeEach
    void lockTheHive() throws Exception {
        hive = new TestHive(root);
        transport = hive.open();
        envelope = hive.mail().seal();
        mail = hive.layout.mail(TestHive.CODE, envelope.id());
        Files.createDirectory(hive.layout.hive().resolve("overrides"));
        new KeptTrust(hive.layout, new LockFiles(hive.layout)).keep();
        Files.createFile(LockFiles.hiveLock(hive.layout));
    }

    @AfterEach
    void close() throws IOException {
        transport.close();
    }

    private void permit(byte[] content) throws IOException {
        Files.writeString(
                hive.layout.hive().resolve("overrides/ALLOW-WRITE-1"),
                """
                override: ALLOW-WRITE
                ts: %s
                requestor: claude-7f3a
                source: you
                target: %s
                reason: it can't wait
                ttl: 1h
                hash: %s
                """
                        .formatted(
                                Instant.now().minusSeconds(60),
                                hive.layout.nameOf(mail),
                                ContentHash.of(content)));
    }

    private SendResult send() throws Exception {
        return transport.send(envelope).copies().getFirst().result();
    }

    @Test
    void oneThatIsPermittedArrivesUnderTheLock() throws Exception {
        permit(envelope.bytes());

        assertThat(send()).isEqualTo(new SendResult.Delivered(hive.layout.nameOf(mail)));
        assertThat(Files.readAllBytes(mail)).isEqualTo(envelope.bytes());
        assertThat(transport.embargo().mail()).isEmpty();
        assertThat(Files.exists(hive.layout.log())).isFalse();
        assertThat(Files.readString(hive.layout.mirrorLog()))
                .contains("policy_override")
                .contains("\"override\":\".deia/overrides/ALLOW-WRITE-1\"")
                .contains("\"requestor\":\"claude-7f3a\"")
                .contains("rsm_envelope_emit")
                .doesNotContain("policy_guard");
    }

    @Test
    void oneWithOtherContentWaitsInTheMirror() throws Exception {
        permit(new byte[0]);

        assertThat(send()).isInstanceOf(SendResult.Withheld.class);
        assertThat(mail).doesNotExist();
        assertThat(transport.embargo().mail()).hasSize(1);
    }

    @Test
    void oneThatWaitsInTheMirrorIsReleasedByAnOverrideAlone() throws Exception {
        send();
        KeptMail kept = transport.embargo().mail().getFirst();
        assertThatThrownBy(() -> transport.embargo().release(kept))
                .isInstanceOf(WithheldException.class);

        permit(Files.readAllBytes(hive.layout.root().resolve(kept.location())));

        assertThat(transport.embargo().release(kept).copies().getFirst().result())
                .isInstanceOf(SendResult.Delivered.class);
        assertThat(mail).exists();
        assertThat(transport.embargo().mail()).isEmpty();
        assertThat(Files.readString(hive.layout.mirrorLog())).contains("embargo_release");
    }

    @Test
    void nothingIsReplaced() throws Exception {
        permit(envelope.bytes());
        Files.writeString(mail, "another");

        assertThat(send()).isInstanceOf(SendResult.Conflict.class);
        assertThat(mail).hasContent("another");
    }

    @Test
    void whatArrivedSoIsTakenWhenTheLockIsLifted() throws Exception {
        permit(envelope.bytes());
        send();
        Files.delete(LockFiles.hiveLock(hive.layout));

        assertThat(TestHive.take(transport.inbox(TestHive.CODE)).envelope().id())
                .isEqualTo(envelope.id());
        assertThat(Files.readString(hive.layout.log())).contains("policy_override");
    }
}
