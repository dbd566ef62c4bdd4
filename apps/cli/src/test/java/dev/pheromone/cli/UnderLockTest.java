package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.envelope.ContentHash;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
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

    @Test
    void onceAPersonsKeyIsKnownOnlyItsSignaturePermits() throws IOException {
        Files.writeString(session.cwd.resolve("VERSION"), "1\n");
        Path next = Files.writeString(session.cwd.resolve("next"), "2\n");
        session.rsm("keys", "new", "laptop");
        session.rsm("keys", "trust", "laptop", "--human", "--by", "you");
        session.rsm("lock", "do-not-alter", "VERSION");
        permit("VERSION", Files.readAllBytes(next));

        assertThat(write("2\n").exit()).isEqualTo(2);
        assertThat(session.rsm("check", "--write", "--content", "next", "VERSION").err())
                .contains("ALLOW-WRITE-1 counts for nothing: found no signature");
        assertThat(session.rsm("audit").out()).contains("warning: .deia/overrides/ALLOW-WRITE-1");
        assertThat(session.rsm("override").out()).contains("none: found no signature");

        Session agent = new Session(session.cwd);
        agent.env.put("CLAUDECODE", "1");
        assertThat(override(agent).err()).contains("is for people");
        Session other = new Session(session.cwd);
        other.env.put("XDG_CONFIG_HOME", folder.resolve("other").toString());
        assertThat(override(other).err()).contains("needs a person's key");
        assertThat(write("2\n").exit()).isEqualTo(2);

        assertThat(override(session).out()).contains("confirmed by you, signed with key laptop");
        assertThat(write("2\n").exit()).isZero();
        assertThat(session.rsm("log", "--json").out())
                .contains("\"type\":\"override_given\"")
                .contains("\"by\":\"you\",\"proof\":\"key laptop\",\"hash\"");
    }

    @Test
    void whatIsWrittenPastTheGuardIsNamedAndWhatWasPermittedIsNot() throws IOException {
        Path version = Files.writeString(session.cwd.resolve("VERSION"), "1\n");
        session.rsm("lock", "do-not-alter", "VERSION");
        permit("VERSION", "2\n".getBytes(StandardCharsets.UTF_8));
        assertThat(write("2\n").exit()).isZero();
        Files.writeString(version, "2\n");
        assertThat(session.rsm("audit").exit()).isZero();

        Files.writeString(version, "3\n");
        Session.Result found = session.rsm("audit");
        assertThat(found.exit()).isEqualTo(1);
        assertThat(found.out()).contains("violation: VERSION: found changed under lock");

        Session.Result lifted = session.rsm("unlock", "do-not-alter", "VERSION", "--by", "you");
        assertThat(lifted.exit()).isZero();
        assertThat(lifted.err()).contains("VERSION changed while it was under lock do-not-alter");
        assertThat(session.rsm("log", "--type", "policy_breach", "--json").out())
                .contains("\"path\":\"VERSION\",\"change\":\"changed\"");
        assertThat(session.rsm("audit").exit()).isEqualTo(1);
    }

    private Path lockByHand() throws IOException {
        return Files.createFile(session.cwd.resolve(".deia/ROTG-2-RESPECT-DO-NOT-ERASE.lock"));
    }

    @Test
    void publicMailOfAHandMadeLockIsLookedThroughAgainBeforeItIsReleased() throws IOException {
        session.rsm("keys", "new", "laptop");
        session.rsm("keys", "trust", "laptop", "--by", "you");
        session.rsm("lock", "dnr", "vault/plans.txt");
        Path lock = lockByHand();
        String body = "see vault/plans.txt";
        Session.Result sent =
                session.rsm("send", "--to", "code", "--consent", "public", "--public", body);
        assertThat(sent.exit()).as("%s", sent).isEqualTo(3);
        only(".embargo/inbox/queen-code");
        Files.delete(lock);

        assertThat(session.rsm("embargo", "release").out())
                .contains("refused", "it holds what must not become public");
        Session.Result released = session.rsm("embargo", "release", "--yes", "--by", "you");

        assertThat(released.exit()).isEqualTo(1);
        assertThat(released.out()).contains("refused: it holds what must not become public");
        only(".embargo/inbox/queen-code");
        assertThat(session.rsm("inbox", "code", "--quiet").out()).isEmpty();
        session.rsm("unlock", "dnr", "vault/plans.txt", "--by", "you");
        assertThat(session.rsm("embargo", "release", "--yes", "--by", "you").out())
                .contains("delivered");
    }

    @Test
    void theEventOfAnAdvisorySendNamesTheInbox() throws IOException {
        session.rsm("lock", "hive");
        session.rsm("send", "--to", "code", "hello");

        assertThat(Files.readString(session.cwd.resolve(".embargo/telemetry/rse.jsonl")))
                .contains("\"path\":\".deia/inbox/code\",\"mode\":\"advisory\"");
    }

    @Test
    void anAnswerUnderALockIsKeptWithTheOutcome() throws IOException {
        session.rsm("send", "--to", "code", "please");
        String claim = session.rsm("select", "code", "--quiet").out().strip();
        session.rsm("lock", "hive");

        Session.Result acked =
                session.rsm("ack", claim, "done", "--reply", "it was the time zone", "--json");

        assertThat(acked.exit()).isEqualTo(3);
        String file = ".embargo/reply/" + claim + ".md";
        assertThat(acked.out())
                .contains("\"kept_in\":\".embargo/outcome/", "\"reply_kept_in\":\"" + file + "\"");
        assertThat(session.cwd.resolve(file)).hasContent("it was the time zone");
        session.rsm("unlock", "hive", "--by", "you");
        assertThat(session.rsm("archive").out()).contains("done");
        String id = claim.substring(0, claim.indexOf('.'));
        assertThat(session.rsm(List.of("reply", id, "-"), "it was the time zone\n").exit())
                .isZero();
    }

    /// Only the event log is locked.
    @Nested
    class WhileTheLogIsLocked {

        private void lock(String kind) {
            session.rsm("send", "--to", "code", "before");
            assertThat(session.rsm("lock", kind, ".deia/telemetry/**").exit()).isZero();
        }

        @Test
        void againstAlteringReadersReadItAndWhatTheMirrorKeeps() {
            lock("do-not-alter");

            assertThat(session.rsm("send", "--to", "code", "meanwhile").exit()).isEqualTo(3);
            assertThat(session.rsm("select", "code").exit()).isEqualTo(3);
            assertThat(session.rsm("log", "--json").out())
                    .contains("rsm_envelope_emit", "policy_guard", "\"mode\":\"advisory\"");
            assertThat(session.rsm("inbox", "code").out()).contains("before");
            assertThat(session.rsm("status").exit()).isZero();
            assertThat(session.rsm("slo", "--json").out()).contains("\"metric\"");
            assertThat(session.rsm("search", "advisory", "--in", "log").exit()).isZero();
        }

        @Test
        void againstReadingWhoeverNeedsItIsWithheldAndTheOthersGoOn() {
            lock("dnr");

            for (String reader : List.of("log", "slo", "sense")) {
                Session.Result result = session.rsm(reader);
                assertThat(result.exit()).as(reader).isEqualTo(3);
                assertThat(result.err()).as(reader).contains("under lock dnr", "telemetry");
            }
            assertThat(session.rsm("inbox", "code").out()).contains("before");
            assertThat(session.rsm("status").exit()).isZero();
        }
    }

    private static Session.Result override(Session person) {
        return person.rsm(
                "override", "VERSION", "--content", "next", "--reason", "release", "--by", "you");
    }

    @Test
    void underAFreezeOnePieceOfMailIsLetThroughByAPersonsKeyAlone() throws IOException {
        session.rsm("keys", "new", "laptop");
        session.rsm("keys", "trust", "laptop", "--human", "--by", "you");
        session.rsm("lock", "hive");
        session.rsm("send", "--to", "code", "this can't wait");
        Path kept = only(".embargo/inbox/queen-code");
        String target = ".deia/inbox/code/" + kept.getFileName();
        permit(target, Files.readAllBytes(kept));

        assertThat(session.rsm("override").exit()).isEqualTo(3);
        assertThat(session.rsm("embargo", "release", "--yes").exit()).isEqualTo(3);
        assertThat(
                        session.rsm(
                                        "override",
                                        target,
                                        "--content",
                                        session.cwd.relativize(kept).toString(),
                                        "--reason",
                                        "it can't wait")
                                .exit())
                .isZero();
        assertThat(session.rsm("embargo", "release", "--yes").out())
                .contains(" delivered, queen://code");
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
