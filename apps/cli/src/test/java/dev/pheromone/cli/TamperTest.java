package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// A hive that somebody tampered with, past the guard, and the command that finds it. What none
/// finds yet is in SECURITY.md.
class TamperTest {

    @TempDir Path folder;

    private Session session;
    private Path log;
    private Path trust;
    private String id;

    @BeforeEach
    void workAsUsual() throws IOException {
        session = new Session(folder.toRealPath());
        log = session.cwd.resolve(".deia/telemetry/rse.jsonl");
        trust = session.cwd.resolve(".deia/trust.yaml");
        good("init");
        id = good("send", "--to", "code", "-q", "please look").strip();
        good("select", "code", "-q");
        good("ack", id, "done", "-q");
        good("send", "--to", "code", "-q", "and here");
        good("keys", "new", "laptop");
        good("keys", "trust", "laptop", "--by", "sam");
        good("audit");
    }

    private String good(String... words) {
        Session.Result result = session.rsm(words);
        assertThat(result.exit()).as("%s", result).isZero();
        return result.out();
    }

    private void isFoundBy(String command, String saying) {
        Session.Result result = session.rsm(command.split(" "));
        assertThat(result.exit()).as("%s", result).isEqualTo(1);
        assertThat(result.out() + result.err()).contains(saying);
    }

    private Path only(String room) throws IOException {
        try (Stream<Path> files = Files.walk(session.cwd.resolve(".deia").resolve(room))) {
            return files.filter(Files::isRegularFile).findFirst().orElseThrow();
        }
    }

    private void withoutLine(String part) throws IOException {
        List<String> kept =
                Files.readAllLines(log).stream().filter(line -> !line.contains(part)).toList();
        Files.write(log, kept);
    }

    private void replace(Path file, String old, String changed) throws IOException {
        String text = Files.readString(file);
        assertThat(text).contains(old);
        Files.writeString(file, text.replace(old, changed));
    }

    @Test
    void whatNobodyTamperedWithIsFineAndStaysSo() {
        good("send", "--to", "code", "one more");

        assertThat(good("audit")).contains("0 violations");
        good("doctor");
        good("send", "--to", "code", "and another");
        assertThat(good("audit")).contains("0 violations");
    }

    @Test
    void aLineThatWasRemovedIsFoundByAuditAndDoctor() throws IOException {
        withoutLine("worker_ack");

        isFoundBy("audit", "the log only grows");
        isFoundBy("doctor", "the log only grows");
    }

    @Test
    void aLineThatWasAlteredInPlaceIsFoundByAuditAndDoctor() throws IOException {
        replace(log, "\"done\"", "\"gone\"");

        isFoundBy("audit", "other lines in the first");
        isFoundBy("doctor", "other lines in the first");
    }

    @Test
    void aLogThatWasCutIsFoundByAuditAndDoctor() throws IOException {
        List<String> lines = Files.readAllLines(log);
        Files.write(log, lines.subList(0, lines.size() - 1));

        isFoundBy("audit", "a log of ");
        isFoundBy("doctor", "a log of ");
    }

    @Test
    void aLogThatWasReplacedOrRemovedIsFoundByAuditAndDoctor() throws IOException {
        byte[] before = Files.readAllBytes(log);
        Files.write(log, new byte[before.length + 1]);
        isFoundBy("audit", "other lines in the first");

        Files.delete(log);
        isFoundBy("audit", "a log of 0 bytes");
        isFoundBy("doctor", "a log of 0 bytes");
    }

    @Test
    void aRewrittenLogStaysFoundUntilAPersonAcceptsIt() throws IOException {
        withoutLine("worker_ack");
        isFoundBy("audit", "the log only grows");
        isFoundBy("audit", "the log only grows");

        session.env.put("CLAUDECODE", "1");
        assertThat(session.rsm("audit", "--accept", "--by", "sam").err()).contains("for people");
        session.env.clear();
        assertThat(good("audit", "--accept", "--by", "sam")).contains("0 violations");
        good("audit");
    }

    @Test
    void withoutAMarkTheFilesStillProveWhichEventsAreMissing() throws IOException {
        Files.delete(mark());
        withoutLine("worker_ack");
        session.later(Duration.ofMinutes(5));

        assertThat(session.rsm("doctor").out()).contains("1 event missing from the log");
    }

    private Path mark() throws IOException {
        try (Stream<Path> marks = Files.list(session.home.resolve(".config/pheromone/logs"))) {
            return marks.findFirst().orElseThrow();
        }
    }

    @Test
    void anotherHiveInTheSamePlaceIsNotTheOldOneRewritten() throws IOException {
        try (Stream<Path> files = Files.walk(session.cwd.resolve(".deia"))) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
        good("init");

        good("audit");
        good("doctor");
    }

    @Test
    void anArchivedBodyThatWasAlteredIsFoundByAuditAndVerify() throws IOException {
        replace(only("archive"), "please look", "please leave");

        isFoundBy("audit", "as it was sent");
        Session.Result verified = session.rsm("verify", id);
        assertThat(verified.exit()).isEqualTo(5);
        assertThat(verified.out()).contains("hash: it doesn't match the body");
    }

    @Test
    void anArchivedFileThatWasRemovedIsFoundByAudit() throws IOException {
        Files.delete(only("archive"));

        isFoundBy("audit", "a finished envelope without a file");
        isFoundBy("audit", "no file, though the log has it as sent");
    }

    @Test
    void aWaitingFileThatWasRemovedIsFoundByAudit() throws IOException {
        Files.delete(only("inbox/code"));

        isFoundBy("audit", "no file, though the log has it as sent");
    }

    @Test
    void aSeenEntryThatWasRemovedIsFoundByAudit() throws IOException {
        Files.delete(only("seen"));

        isFoundBy("audit", "finished mail that is not in the seen-set");
    }

    @Test
    void aKeyThatWasAddedByHandIsFoundByAudit() throws IOException {
        Files.writeString(
                trust,
                """
                  - kid: other
                    algorithm: ed25519
                    public: %s
                    actors: [alice]
                    human: true
                """
                        .formatted("0123456789abcdef".repeat(4)),
                StandardOpenOption.APPEND);

        isFoundBy("audit", "key other: found a key that no event tells of");
        isFoundBy("audit --json", "rsm keys confirm");
    }

    @Test
    void aKeyThatWasMadeAPersonsByHandIsFoundByAudit() throws IOException {
        Files.writeString(trust, "    human: true\n", StandardOpenOption.APPEND);

        isFoundBy("audit", "key laptop: found human true, expected false, as key_trust of ");
    }

    @Test
    void aKeyThatGotAnotherOwnerByHandIsFoundByAudit() throws IOException {
        replace(trust, "actors: [\"you\"]", "actors: [\"you\", \"alice\"]");

        isFoundBy("audit", "key laptop: found actors [\"you\",\"alice\"], expected [\"you\"]");
    }

    @Test
    void aKeyThatWasRemovedByHandIsFoundByAudit() throws IOException {
        Files.writeString(trust, "format: 1\nkeys: []\n");

        isFoundBy("audit", "key laptop: found no such key");
    }

    @Test
    void trustingAndRevokingLeaveAnEventEach() {
        assertThat(good("log", "--type", "key_trust", "--json")).contains("\"kid\":\"laptop\"");

        good("keys", "revoke", "laptop", "--by", "sam");

        assertThat(good("log", "--type", "key_revoke", "--json")).contains("\"by\":\"sam\"");
        good("audit");
    }

    @Test
    void keysOfAnEarlierVersionAreConfirmedByAPersonOnce() throws IOException {
        withoutLine("key_trust");
        Files.delete(mark());
        isFoundBy("audit", "key laptop: found a key that no event tells of");

        assertThat(session.rsm("keys", "confirm").exit()).isEqualTo(2);
        Session.Result confirmed = session.rsm("keys", "confirm", "--by", "sam");
        assertThat(confirmed.out()).contains("confirmed key laptop");
        assertThat(confirmed.err()).startsWith("rsm: key laptop: ").hasLineCount(1);
        assertThat(confirmed.err()).endsWith("\n").doesNotContain("\\n");
        good("audit");
        assertThat(good("keys", "confirm")).contains("every key is as the event log tells");
    }

    @Test
    void aKeyThatAPersonTookOutOfTheFileCanBeConfirmed() throws IOException {
        Files.writeString(trust, "format: 1\nkeys: []\n");

        good("keys", "confirm", "--by", "sam");

        good("audit");
        good("keys", "trust", "laptop", "--by", "sam");
        good("audit");
    }

    @Test
    void hooksThatWereSwitchedOffAreFoundBySetupAndDoctor() throws IOException {
        session.launcher = session.home.resolve("bin/rsm");
        good("setup", "claude", "--yes");
        good("setup", "claude", "--check");
        good("doctor");
        Files.writeString(
                session.cwd.resolve(".claude/settings.local.json"), "{\"disableAllHooks\": true}");

        isFoundBy("setup claude --check", "hooks are switched off in ");
        isFoundBy("doctor", "hooks switched off");
    }

    @Test
    void anotherJavaForTheLauncherIsFoundByDoctor() throws IOException {
        session.launcher = session.home.resolve("checkout/rsm");
        Path java = session.home.resolve("checkout/target/rsm/java");
        Files.createDirectories(java.getParent());
        Files.writeString(java, Path.of(System.getProperty("java.home"), "bin", "java") + "\n");
        good("doctor");

        Files.writeString(java, "/tmp/other\n");

        isFoundBy("doctor", "/tmp/other");
    }
}
