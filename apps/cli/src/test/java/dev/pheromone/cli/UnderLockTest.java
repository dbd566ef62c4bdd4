package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.ContentHash;
import dev.pheromone.Json;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/// What still goes on under a lock: mail is written as the hive would have it, and what a person
/// has permitted is done.
final class UnderLockTest {

    @TempDir private Path folder;
    private Session session;

    @BeforeEach
    void makeHive() throws IOException {
        session = new Session(folder.toRealPath());
        session.rsm("init");
    }

    private Path only(String where) throws IOException {
        try (var files = Files.list(session.cwd.resolve(where))) {
            List<Path> mail = files.filter(file -> file.toString().endsWith(".md")).toList();
            assertThat(mail).hasSize(1);
            return mail.getFirst();
        }
    }

    private void permit(String target, byte[] content) throws IOException {
        Path overrides = Files.createDirectories(session.cwd.resolve(".deia/overrides"));
        Files.writeString(
                overrides.resolve("ALLOW-WRITE-1"),
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
                                Instant.now().minusSeconds(60), target, ContentHash.of(content)));
    }

    @Test
    void mailIsComposedAndSignedAsBeforeTheLock() throws IOException {
        session.rsm("keys", "new", "laptop");
        session.rsm("keys", "trust", "laptop", "--by", "you");
        Files.writeString(
                session.cwd.resolve(".deia/hive.yaml"),
                "format: 1\nlanes: [Legal]\nttl: {default: 3h}\n");
        session.rsm("lock", "hive");

        assertThat(session.rsm("send", "--to", "code", "--lane", "Legal", "x").exit()).isEqualTo(3);
        assertThat(Files.readString(only(".embargo/inbox/queen-code")))
                .contains("ttl: 3h", "lane: Legal", "kid: laptop", "sig: ed25519-");
        assertThat(session.rsm("unlock", "hive", "--release", "--by", "you").out())
                .contains("delivered");
    }

    @Test
    void oneMailIsReleasedByAnOverrideAlone() throws IOException {
        session.rsm("lock", "hive");
        session.rsm("send", "--to", "code", "this can't wait");
        session.rsm("send", "--to", "docs", "this can");
        Path kept = only(".embargo/inbox/queen-code");
        assertThat(session.rsm("embargo", "release", "--yes", "--by", "you").exit()).isEqualTo(3);

        permit(".deia/inbox/code/" + kept.getFileName(), Files.readAllBytes(kept));
        Session.Result result = session.rsm("embargo", "release", "--yes", "--by", "you");

        assertThat(result.out())
                .contains(" delivered, queen://code", " unknown: the hive is locked");
        assertThat(only(".deia/inbox/code")).exists();
        assertThat(only(".embargo/inbox/queen-docs")).exists();
        assertThat(Files.readString(session.cwd.resolve(".embargo/telemetry/rse.jsonl")))
                .contains("policy_override", "embargo_release");
    }

    @Test
    void agentWritesWhatAPersonPermittedAndNothingElse() throws IOException {
        Files.writeString(session.cwd.resolve("VERSION"), "1\n");
        session.rsm("lock", "do-not-alter", "VERSION");
        permit("VERSION", "2\n".getBytes(StandardCharsets.UTF_8));

        assertThat(write("2\n").exit()).isZero();
        assertThat(write("3\n").exit()).isEqualTo(2);
        assertThat(session.rsm("log", "--type", "policy_override", "--json").out())
                .contains("\"lock\":\"do-not-alter\",\"path\":\"VERSION\"")
                .contains("\"override\":\".deia/overrides/ALLOW-WRITE-1\"");
        assertThat(session.rsm("log", "--type", "policy_guard", "--json").out())
                .contains("\"count\":1,");
    }

    private Session.Result write(String content) {
        return session.rsm(
                List.of("hook", "claude", "PreToolUse"),
                Json.obj()
                        .put("tool_name", "Write")
                        .put(
                                "tool_input",
                                Json.obj().put("file_path", "VERSION").put("content", content))
                        .toString());
    }
}
