package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pheromone.address.Domain;
import dev.pheromone.envelope.EnvelopeId;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/// `rsm work` as a process, with commands that crash, hang and misbehave.
@Timeout(120)
class WorkProcessTest {

    @TempDir Path temp;
    private Path folder;
    private Session session;

    @BeforeEach
    void makeHive() throws IOException {
        folder = temp.toRealPath();
        session = new Session(folder);
        assertThat(rsm("init").exit()).isZero();
    }

    @AfterEach
    void leaveNothingRunning() {
        RsmProcess.commandsOf(folder).forEach(ProcessHandle::destroyForcibly);
    }

    private Session.Result rsm(String... words) {
        // Real time goes on between the commands of a session whose clock stands.
        session.setClock(Instant.now());
        return session.rsm(words);
    }

    private String send(String topic) {
        return AnswerSchemas.field(rsm("send", "--to", "code", topic, "--json").out(), "id");
    }

    private String state(String id) {
        return AnswerSchemas.field(rsm("read", id, "--json").out(), "state");
    }

    private RsmProcess work(String... words) throws IOException {
        return RsmProcess.start(folder, words);
    }

    private static String[] once(String... options) {
        String[] words = new String[options.length + 3];
        words[0] = "work";
        words[1] = "code";
        words[2] = "--once";
        System.arraycopy(options, 0, words, 3, options.length);
        return words;
    }

    @Test
    void aKilledWorkersClaimReturnsAtOnceAndItsCommandDoesNotRunBesideTheNext() throws Exception {
        String id = send("crash");
        try (RsmProcess first =
                work("work", "code", "--", "sh", "-c", "touch started; sleep 600 & wait")) {
            RsmProcess.awaitFile(folder.resolve("started"));
            first.process().destroyForcibly().waitFor();
        }
        assertThat(RsmProcess.commandsOf(folder)).isNotEmpty();
        rsm("inbox", "code");
        assertThat(state(id)).isEqualTo("waiting");

        try (RsmProcess second = work(once("--wait", "1m", "--", "sh", "-c", "cat"))) {
            assertThat(second.exit()).as(second.errors()).isZero();
            assertThat(second.errors()).contains("ended what was left of an earlier attempt");
        }
        assertThat(state(id)).isEqualTo("done");
        assertThat(RsmProcess.commandsOf(folder)).isEmpty();
    }

    @Test
    void aTimeOutEndsAllThatTheCommandStarted() throws Exception {
        String id = send("hang");
        String stubborn =
                "trap '' TERM; sleep 601 & (setsid sleep 602 >/dev/null 2>&1 &) ; sleep 603 & wait;"
                        + " sleep 604";
        try (RsmProcess worker = work(once("--timeout", "2s", "--", "sh", "-c", stubborn))) {
            assertThat(worker.exit()).isEqualTo(1);
            assertThat(worker.printed()).contains("error").contains("timed out after 2s");
        }
        assertThat(RsmProcess.commandsOf(folder)).isEmpty();
        assertThat(state(id)).isEqualTo("waiting");
    }

    @Test
    void aStopLetsTheCommandFinishAndTakesNothingMore() throws Exception {
        String first = send("almost done");
        String second = send("not begun");
        try (RsmProcess worker =
                work(
                        "work",
                        "code",
                        "--",
                        "sh",
                        "-c",
                        "touch started; while [ ! -e finish ]; do sleep 0.05; done")) {
            RsmProcess.awaitFile(folder.resolve("started"));
            worker.process().destroy();
            Files.createFile(folder.resolve("finish"));

            assertThat(worker.exit()).as(worker.errors()).isZero();
            assertThat(worker.errors()).contains("1 done, 0 errors, 0 given back");
        }
        assertThat(state(first)).isEqualTo("done");
        assertThat(state(second)).isEqualTo("waiting");
    }

    @Test
    void aSecondSignalGivesBackAtOnce() throws Exception {
        String id = send("endless");
        try (RsmProcess worker =
                work("work", "code", "--", "sh", "-c", "touch started; exec sleep 600")) {
            RsmProcess.awaitFile(folder.resolve("started"));
            worker.process().destroy();
            await().until(() -> {
                // Signals that arrive together are one; once the mail is given back, the process
                // no longer listens, and a further signal would end it.
                if (!worker.printed().contains("released")) {
                    worker.process().destroy();
                }
                return !worker.process().isAlive();
            });
            assertThat(worker.exit()).isZero();
            assertThat(worker.printed()).contains("released");
        }
        assertThat(state(id)).isEqualTo("waiting");
        assertThat(rsm("inbox", "code", "--json").out()).contains("\"attempt\":1");
        assertThat(RsmProcess.commandsOf(folder)).isEmpty();
    }

    @Test
    void aCommandThatMisusesItsStreamsHoldsNobodyUp() throws Exception {
        String id = send("noise");
        String noisy = "exec <&-; sleep 600 & yes | head -c 5000000; echo end >&2; exit 0";
        try (RsmProcess worker = work(once("--", "sh", "-c", noisy))) {
            assertThat(worker.exit()).isZero();
            assertThat(Files.size(worker.err())).isGreaterThanOrEqualTo(5_000_000);
        }
        assertThat(state(id)).isEqualTo("done");
        // What it left in the background on purpose is its own affair.
        assertThat(RsmProcess.commandsOf(folder)).hasSize(1);
    }

    @Test
    void anAnswerIsSentOnceThoughTheWorkIsDoneTwice() throws Exception {
        String id = send("how many?");
        // As if a worker had answered, and died before it could say that it was done.
        String derived = EnvelopeId.ofReply(EnvelopeId.parse(id), Domain.parse("code")).text();
        assertThat(rsm("send", "--id", derived, "--to", "user://you", "three").exit()).isZero();

        try (RsmProcess worker = work(once("--reply", "--", "echo", "four"))) {
            assertThat(worker.exit()).isZero();
            assertThat(worker.printed()).contains("replied before with " + derived);
        }
        assertThat(state(id)).isEqualTo("done");
        assertThat(rsm("inbox", "user://you", "--quiet").out().strip()).isEqualTo(derived);
        assertThat(rsm("read", derived, "--json").out()).contains("three");
    }

    @Test
    void aLongAnswerIsCutAndSaysSo() throws Exception {
        send("everything");
        try (RsmProcess worker =
                work(once("--reply", "--", "sh", "-c", "yes ü | head -c 300000"))) {
            assertThat(worker.exit()).as(worker.errors() + worker.printed()).isZero();
        }
        String reply = rsm("inbox", "user://you", "--quiet").out().strip();
        assertThat(rsm("read", reply, "--json").out())
                .contains("[cut: the answer has 300000 bytes, a body holds 65536]")
                .doesNotContain("\ufffd");
    }

    @Test
    void underALockTheOutcomeIsKeptAndTheWorkerWaits() throws Exception {
        String first = send("freeze");
        Path lock = folder.resolve(".deia/ROTG-2-RESPECT-DO-NOT-ERASE.lock");
        try (RsmProcess worker =
                work(
                        "work",
                        "code",
                        "--json",
                        "--",
                        "sh",
                        "-c",
                        "[ $RSM_TOPIC != freeze ] || touch " + lock)) {
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> worker.printed().contains("kept_in"));
            assertThat(new AnswerSchemas().problems("work", worker.printed())).isEmpty();
            Files.delete(lock);
            String second = send("thaw");
            await().atMost(Duration.ofSeconds(30)).until(() -> worker.printed().contains(second));
            worker.process().destroy();
            assertThat(worker.exit()).isZero();
            assertThat(state(first)).isEqualTo("done");
            assertThat(state(second)).isEqualTo("done");
        }
    }

    @Test
    void theCopyOfTheEnvelopeIsPrivateAndGoneAfterwards() throws Exception {
        send("secret");
        try (RsmProcess worker =
                work(once("--", "sh", "-c", "stat -c %a $RSM_ENVELOPE; echo $RSM_ENVELOPE"))) {
            assertThat(worker.exit()).isZero();
            String[] lines = worker.errors().split("\n", -1);
            assertThat(lines[0]).isEqualTo("600");
            assertThat(Path.of(lines[1]).getParent()).doesNotExist();
        }
    }

    @Test
    void anAnswerThatHasNoRoomDoesNotRunTheCommandAgain() throws Exception {
        String id = send("count");
        Files.writeString(
                folder.resolve(".deia/hive.yaml"), "backpressure: {depth: 1, oldest_age: 10m}\n");
        rsm("send", "--to", "user://you", "the room is taken");
        rsm("send", "--to", "user://you", "all of it");
        assertThat(rsm("send", "--to", "user://you", "one too many").exit()).isEqualTo(75);
        try (RsmProcess worker =
                work("work", "code", "--reply", "--", "sh", "-c", "echo run >>runs; echo three")) {
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> worker.errors().contains("is not delivered yet"));
            await().until(() -> {
                worker.process().destroy();
                return !worker.process().isAlive();
            });
            assertThat(worker.exit()).isZero();
            assertThat(worker.printed()).contains("done").contains("no reply").contains("three");
            assertThat(worker.errors()).contains("was not delivered");
        }
        assertThat(state(id)).isEqualTo("done");
        assertThat(Files.readAllLines(folder.resolve("runs"))).hasSize(1);
    }

    @Test
    void aFolderThatWasTidiedAwayIsMadeAnew() throws Exception {
        send("first");
        send("second");
        try (RsmProcess worker =
                work("work", "code", "--drain", "--", "sh", "-c", "rm -r ${RSM_ENVELOPE%/*}")) {
            assertThat(worker.exit()).as(worker.errors()).isZero();
            assertThat(worker.errors()).contains("2 done, 0 errors, 0 given back");
        }
    }

    @Test
    void troublesOfTheWorkerAreNoFailuresOfTheMail() throws Exception {
        send("first");
        String second = send("second");
        try (RsmProcess worker =
                work("work", "code", "--drain", "--", "sh", "-c", "rm -r " + folder + "/tmp")) {
            assertThat(worker.exit()).as(worker.errors()).isZero();
            assertThat(worker.errors())
                    .contains("warning: no command can be started")
                    .contains("1 done, 0 errors, 1 given back");
        }
        assertThat(state(second)).isEqualTo("waiting");
        assertThat(rsm("inbox", "code", "--json").out()).contains("\"attempt\":1");
    }

    @Test
    void whatAKilledWorkerLeftIsRemovedByTheNext() throws Exception {
        send("secret");
        try (RsmProcess first =
                work("work", "code", "--", "sh", "-c", "touch started; exec sleep 600")) {
            RsmProcess.awaitFile(folder.resolve("started"));
            first.process().destroyForcibly().waitFor();
        }
        assertThat(folder.resolve("tmp")).isNotEmptyDirectory();
        try (RsmProcess second = work(once("--wait", "1m", "--", "true"))) {
            assertThat(second.exit()).as(second.errors()).isZero();
        }
        assertThat(folder.resolve("tmp")).isEmptyDirectory();
    }

    @Test
    void whatIsGivenBackHoldsUpNeitherADrainNorOthers() throws Exception {
        String busy = send("busy");
        String other = send("other");
        try (RsmProcess worker =
                work(
                        "work",
                        "code",
                        "--drain",
                        "--",
                        "sh",
                        "-c",
                        "[ $RSM_TOPIC != busy ] || exit 75")) {
            assertThat(worker.exit()).as(worker.errors()).isZero();
            assertThat(worker.errors()).contains("1 done, 0 errors, 1 given back");
        }
        assertThat(state(busy)).isEqualTo("waiting");
        assertThat(state(other)).isEqualTo("done");
    }

    @Test
    void outputThatNobodyReadsHoldsUpNoTimeOut() throws Exception {
        String id = send("loud");
        try (RsmProcess worker =
                RsmProcess.startUnread(folder, once("--timeout", "3s", "--", "yes"))) {
            assertThat(worker.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(RsmProcess.commandsOf(folder)).isEmpty();
        assertThat(state(id)).isEqualTo("waiting");
        assertThat(rsm("inbox", "code", "--json").out()).contains("\"attempt\":2");
    }
}
