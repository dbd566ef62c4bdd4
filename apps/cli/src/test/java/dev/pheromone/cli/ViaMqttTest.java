package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pheromone.testkit.Mosquitto;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// Mail by way of an MQTT broker, which carries and keeps nothing: ann sends, bob's hive receives.
@Timeout(300)
final class ViaMqttTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String RECEIVING = "receiving from team";

    @TempDir Path temp;
    private Mosquitto broker;
    private Session ann;
    private Session bob;
    private final List<RsmProcess> processes = new ArrayList<>();

    @BeforeEach
    void twoHivesAndABroker() throws IOException {
        Mosquitto.refuseWithout("ViaMqttTest");
        broker =
                Mosquitto.start(
                        Files.createDirectories(temp.toRealPath().resolve("broker")),
                        Mosquitto.DURABLE + Mosquitto.OPEN);
        ann = hive("ann", "");
        bob = hive("bob", "");
    }

    @AfterEach
    void end() throws Exception {
        for (RsmProcess process : processes) {
            process.process().destroyForcibly();
        }
        broker.close();
    }

    private Session hive(String name, String more) throws IOException {
        Session session = new Session(Files.createDirectories(temp.toRealPath().resolve(name)));
        session.env.put("RSM_ACTOR", name);
        assertThat(session.rsm("init").exit()).isZero();
        configure(session, broker.url(), more);
        return session;
    }

    private static void configure(Session session, String url, String more) throws IOException {
        ViaContract.configure(session, "team: {url: \"" + url + "\"" + more + "}");
    }

    private static String ok(Session session, String line) {
        return ViaContract.ok(session, line);
    }

    private static Session.Result rsm(Session session, String line) {
        return ViaContract.rsm(session, line);
    }

    /// `rsm` in bob's hive, as a process of its own.
    private RsmProcess atBobs(String... words) throws IOException {
        RsmProcess process = RsmProcess.start(bob.cwd, words);
        processes.add(process);
        return process;
    }

    private static void awaitSaid(RsmProcess process, String words) {
        await().atMost(PATIENCE)
                .until(() ->
                        process.errors().contains(words)
                                || (!process.process().isAlive() && ended(process)));
        assertThat(errors(process)).contains(words);
    }

    private static boolean ended(RsmProcess process) {
        throw new AssertionError("ended: " + errors(process));
    }

    private static String errors(RsmProcess process) {
        try {
            return process.errors();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private RsmProcess receiver() throws IOException {
        RsmProcess bridge = atBobs("bridge", ".", "team", "--back", "code");
        awaitSaid(bridge, RECEIVING);
        return bridge;
    }

    /// What brings answers to ann, whose inbox is made first.
    private RsmProcess annsReceiver() throws IOException {
        ok(ann, "send --to worker://ann --create hello");
        RsmProcess back =
                RsmProcess.start(ann.cwd, "bridge", ".", "team", "--back", "worker://ann");
        processes.add(back);
        awaitSaid(back, RECEIVING);
        return back;
    }

    private static void end(RsmProcess process) throws Exception {
        process.process().destroy();
        assertThat(process.exit()).as("%s", process.errors()).isZero();
    }

    private static String send(Session session, String line) {
        return ok(session, "send --via team --json " + line);
    }

    private List<String> waiting(Session session) {
        List<String> ids = new ArrayList<>();
        String listed = ok(session, "inbox code --json --limit 1000");
        for (int at = listed.indexOf("\"id\":\""); at >= 0; at = listed.indexOf("\"id\":\"", at)) {
            at += "\"id\":\"".length();
            ids.add(listed.substring(at, listed.indexOf('"', at)));
        }
        return ids;
    }

    private static void assertKept(Session session, int count) {
        assertThat(ok(session, "status --json"))
                .contains(
                        count == 0
                                ? "\"outbox\":[]"
                                : "\"outbox\":[{\"transport\":\"team\",\"waiting\":" + count);
    }

    @Test
    void deliveredIsSaidOnceTheOtherHiveHasIt() throws Exception {
        RsmProcess bridge = receiver();
        String sent = send(ann, "--to code please");
        assertThat(new AnswerSchemas().problems("send", sent)).isEmpty();
        assertThat(sent).contains("\"state\":\"delivered\"");
        String id = AnswerSchemas.field(sent, "id");
        assertThat(waiting(bob)).containsExactly(id);
        assertKept(ann, 0);
        assertThat(send(ann, "--to code --id " + id + " please").replace(" ", ""))
                .contains("\"state\":\"duplicate\"");
        assertThat(rsm(ann, "send --via team --to code --id " + id + " other").exit()).isEqualTo(5);
        assertThat(ok(ann, "log --ref " + id + " --json"))
                .contains("rsm_envelope_emit", "\"via\":\"team\"");

        ok(bob, "select code");
        assertThat(ok(bob, "ack " + id + " done")).contains("is done");
        assertThat(waiting(bob)).isEmpty();
        end(bridge);
        assertThat(bridge.printed()).isEqualTo("carried 1 between . and team, 1 could not go\n");
    }

    @Test
    void aQuestionIsAnsweredAcrossTheBroker() throws Exception {
        RsmProcess there = receiver();
        RsmProcess _ = annsReceiver();
        String id = AnswerSchemas.field(send(ann, "--to code may-I?"), "id");
        ok(bob, "select code");
        String reply = ok(bob, "reply " + id + " --via team yes --json");
        assertThat(reply).contains("\"state\":\"delivered\"");
        assertThat(ok(ann, "inbox --json")).contains(AnswerSchemas.field(reply, "id"));
        end(there);
    }

    @Test
    void aQuestionByRsmAskIsAnsweredByAPersonBeyondTheBroker() throws Exception {
        // The person's inbox is in bob's hive, the asker's in ann's; each hive receives its own.
        bob.env.remove("RSM_ACTOR");
        ok(bob, "send --to user://you --create hello");
        RsmProcess there = atBobs("bridge", ".", "team", "--back", "user://you");
        awaitSaid(there, RECEIVING);
        RsmProcess back = annsReceiver();
        RsmProcess asking =
                RsmProcess.start(
                        ann.cwd,
                        "ask",
                        "--actor",
                        "ann",
                        "user://you",
                        "may I merge?",
                        "--via",
                        "team",
                        "--choice",
                        "yes",
                        "--choice",
                        "no",
                        "--default",
                        "no",
                        "--deadline",
                        "30m",
                        "--wait",
                        "60s",
                        "--json");
        processes.add(asking);
        await().atMost(PATIENCE).until(() -> !ok(bob, "ask --list --quiet").isBlank());
        String id = ok(bob, "ask --list --quiet").strip();
        assertThat(ok(bob, "status")).contains("may I merge?", "yes or no");
        assertThat(rsm(bob, "reply " + id + " --via team maybe").exit()).isEqualTo(2);
        assertThat(ok(bob, "reply " + id + " --via team yes --json"))
                .contains("\"state\":\"delivered\"");

        assertThat(asking.exit()).as(asking.errors()).isZero();
        assertThat(asking.printed()).contains("\"answer\":\"yes\"", "\"by\":\"you\"");
        Session.Result status = rsm(ann, "ask --status " + id);
        assertThat(status.exit()).isEqualTo(6);
        assertThat(status.err())
                .contains("was asked by transport team", "no copy of it", "rsm inbox");
        assertThat(ok(ann, "log --type question_answered --json")).contains(id);
        end(there);
        end(back);
    }

    @Test
    void whoAskedAndWaitedInVainWaitsOnWithTheSameQuestion() throws Exception {
        RsmProcess there = receiver();
        RsmProcess _ = annsReceiver();
        String line = "ask code may-I? --choice yes --via team --wait 0s --json";
        Session.Result vain = rsm(ann, line);
        assertThat(vain.exit()).as(vain.err()).isEqualTo(4);
        String id = AnswerSchemas.field(vain.out(), "id");
        assertThat(vain.out()).contains("--id " + id).doesNotContain("ask --status");
        assertThat(rsm(ann, "ask code may-I? --choice yes --via team --deadline 30m").out())
                .contains("the answer comes as mail");

        assertThat(waiting(bob)).hasSize(2).contains(id);
        ok(bob, "reply " + id + " --via team yes");
        // The clock of a session in this process stands still.
        RsmProcess again =
                RsmProcess.start(
                        ann.cwd,
                        ("--actor ann " + line.replace("--wait 0s", "--wait 60s --id " + id))
                                .split(" "));
        processes.add(again);
        assertThat(again.exit()).as(again.errors()).isZero();
        assertThat(again.printed()).contains("\"answer\":\"yes\"", "\"by\":\"bob\"");
        end(there);
    }

    @Test
    void whereNobodyReceivesThatIsSaidAndTheMailIsKept() throws Exception {
        String sent = send(ann, "--to code please");
        assertThat(new AnswerSchemas().problems("send", sent)).isEmpty();
        assertThat(sent)
                .contains(
                        "\"state\":\"outbox\"",
                        "\"at\":\"here\"",
                        "nobody receives for inbox code");
        assertKept(ann, 1);
        assertThat(rsm(ann, "doctor --fix").out()).contains("nobody receives for inbox code");
        receiver();
        assertThat(ok(ann, "doctor --fix")).contains("sent 1 message");
        assertKept(ann, 0);
        assertThat(waiting(bob)).containsExactly(AnswerSchemas.field(sent, "id"));
    }

    @Test
    void whatTheBrokerHasForAReceiverThatIsGoneArrivesOnce() throws Exception {
        end(receiver());
        String sent = send(ann, "--to code please");
        assertThat(sent).contains("\"state\":\"outbox\"", "\"at\":\"broker\"");
        assertThat(ok(ann, "send --via team --to code again"))
                .startsWith("the broker has ")
                .contains("do not resend");
        assertKept(ann, 2);
        ann.later(Duration.ofSeconds(31));
        assertThat(rsm(ann, "doctor").out())
                .contains("2 envelopes that wait, 2 of them at the broker")
                .contains("nobody receives");
        receiver();
        await().atMost(PATIENCE).until(() -> waiting(bob).size() == 2);
        assertThat(ok(ann, "doctor --fix")).contains("sent 2 messages");
        assertKept(ann, 0);
        assertThat(waiting(bob)).hasSize(2);
    }

    @Test
    void whileTheBrokerIsAwayMailIsKeptAndTheNextOneTakesItAlong() throws Exception {
        RsmProcess bridge = receiver();
        broker.kill();
        String sent = send(ann, "--to code first");
        assertThat(sent).contains("\"state\":\"outbox\"", "\"at\":\"here\"", "team is away");
        broker.restart();
        awaitSaid(bridge, "the connection is lost");
        await().atMost(PATIENCE)
                .until(() ->
                        send(ann, "--to code --topic again x").contains("\"state\":\"delivered\""));
        await().atMost(PATIENCE)
                .until(() -> {
                    ok(ann, "doctor --fix");
                    return ok(ann, "status --json").contains("\"outbox\":[]");
                });
        assertThat(waiting(bob)).contains(AnswerSchemas.field(sent, "id")).doesNotHaveDuplicates();
    }

    @Test
    void whatNeedsClaimsSaysHowElse() throws Exception {
        for (String line :
                List.of(
                        "select code --via team",
                        "inbox code --via team",
                        "read abcdef --via team",
                        "ack abcdef done --via team",
                        "release abcdef --via team",
                        "archive --via team",
                        "work code --via team --once -- true",
                        "send --via team --to code --create x")) {
            Session.Result result = rsm(ann, line);
            assertThat(result.exit()).as("%s: %s", line, result).isEqualTo(2);
            assertThat(result.err())
                    .contains("transport team is an MQTT broker, which carries mail and keeps none")
                    .contains("HTTP or NATS:  rsm bridge . team --back code");
        }
    }

    @Test
    void aSecondReceiverYieldsOrTakesOver() throws Exception {
        RsmProcess first = receiver();
        RsmProcess second = atBobs("bridge", ".", "team", "--back", "code");
        assertThat(second.exit()).as("%s", second.errors()).isEqualTo(5);
        assertThat(second.errors())
                .contains("builder", "receives for inbox code, expected nobody")
                .contains("rsm bridge . team --back code --take-over");
        RsmProcess third = atBobs("bridge", ".", "team", "--back", "code", "--take-over");
        awaitSaid(third, RECEIVING);
        assertThat(first.exit()).as("%s", first.errors()).isEqualTo(5);
        assertThat(first.errors()).contains("receives for inbox code now");
        assertThat(send(ann, "--to code please")).contains("\"state\":\"delivered\"");
        end(third);
    }

    @Test
    void aLockedHiveKeepsWhatComesInItsEmbargo() throws Exception {
        RsmProcess bridge = receiver();
        ok(bob, "lock hive --reason audit --by bob");
        Session.Result held = rsm(ann, "send --via team --to code please --json");
        assertThat(held.exit()).as("%s", held).isEqualTo(3);
        assertThat(held.out())
                .contains("\"state\":\"advisory\"", "the embargo of the hive that receives");
        assertKept(ann, 0);
        ok(bob, "unlock hive --by bob");
        assertThat(waiting(bob)).isEmpty();
        ok(bob, "embargo release --yes --by bob");
        assertThat(waiting(bob)).hasSize(1);
        assertThat(bridge.process().isAlive()).isTrue();
    }

    @Test
    void upReceivesWhatHiveYamlSays() throws Exception {
        configure(bob, broker.url(), ", receive: [code, nowhere]");
        RsmProcess up = atBobs("up");
        awaitSaid(up, "receiving for code from team");
        awaitSaid(up, "no inbox queen://nowhere");
        assertThat(send(ann, "--to code please")).contains("\"state\":\"delivered\"");
        assertThat(waiting(bob)).hasSize(1);
        end(up);
        assertThat(ok(bob, "doctor")).contains("which rsm 0.1 can't read");
    }

    @Test
    void aReceiptOfSomebodyElseThanTheNamedReceiversDoesNotCount() throws Exception {
        receiver();
        configure(ann, broker.url(), ", receivers: [bob, carol]");
        Session.Result sent = rsm(ann, "send --via team --to code please --json");
        assertThat(sent.out()).contains("\"state\":\"outbox\"", "\"at\":\"broker\"");
        assertKept(ann, 1);
        assertThat(rsm(ann, "doctor").out()).contains("receivers, which rsm 0.1 can't read");
        configure(ann, broker.url(), ", receivers: [builder]");
        assertThat(ok(ann, "doctor --fix")).contains("sent 1 message");
        assertKept(ann, 0);
    }

    @Test
    void aSenderMayWaitUntilItsMailIsDone() throws Exception {
        receiver();
        String id = AnswerSchemas.field(send(ann, "--to code please"), "id");
        String again = "send --via team --to code please --json --id " + id + " --wait-for done=";
        Session.Result early = rsm(ann, again + "1s");
        assertThat(early.exit()).as("%s", early).isEqualTo(4);
        assertThat(early.out()).contains("it was last duplicate");
        ok(bob, "select code");
        ok(bob, "ack " + id + " done");
        String done = ok(ann, again + "1m");
        assertThat(new AnswerSchemas().problems("send", done)).isEmpty();
        assertThat(done).contains("\"ended\":[{\"inbox\":\"code\",\"state\":\"done\"}]");
        assertThat(rsm(ann, "send --via team --to code x --wait-for seen").exit()).isEqualTo(2);
    }

    @Test
    void whoWaitsWhileTheBrokerIsAwayIsToldTheIdAndThatTheMailIsKept() throws Exception {
        broker.kill();
        Session.Result kept = rsm(ann, "send --via team --to code please --json --wait-for done");
        assertThat(kept.exit()).as("%s", kept).isEqualTo(4);
        assertThat(kept.out())
                .contains("it is kept, do not resend", "it was last outbox", "\"id\":\"");
        assertKept(ann, 1);
    }

    @Test
    void oneOutboxThatCanNotBeReadKeepsBackNoOther() throws Exception {
        String id = AnswerSchemas.field(send(ann, "--to code please"), "id");
        Path outbox = ann.cwd.resolve(".deia/outbox");
        Files.createDirectories(outbox.resolve("bad/.lock"));
        Files.copy(outbox.resolve("team/" + id + ".md"), outbox.resolve("bad/" + id + ".md"));
        receiver();
        assertThat(rsm(ann, "doctor --fix").out())
                .contains("outbox/bad: found 1 that wait on")
                .contains("sent 1 message");
        assertThat(waiting(bob)).containsExactly(id);
    }

    @Test
    void aPasswordThatOthersCanReadIsFoundAndStopsNothingElse() throws Exception {
        Path secret = Files.writeString(bob.cwd.resolve("secret"), "correct-horse\n");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-r--r--"));
        configure(
                bob,
                broker.url(),
                ", receive: [code], events: true, user: bob, password_file: " + secret);
        assertThat(rsm(bob, "doctor").out())
                .contains("error: transport team: found ", "holds a secret");
        RsmProcess up = atBobs("up");
        awaitSaid(up, "holds a secret");
        awaitSaid(up, "in order");
        end(up);
    }

    @Test
    void upSaysHowToTakeThePlaceOfAReceiverThatIsGone() throws Exception {
        publish(
                "-t",
                "rsm/hive/presence/code",
                "-r",
                "-m",
                "{\"by\":\"eve\",\"since_at\":\"2026-01-02T03:04:05Z\",\"session\":\"gone\"}");
        configure(bob, broker.url(), ", receive: [code]");
        RsmProcess up = atBobs("up");
        awaitSaid(up, "rsm bridge . team --back code --take-over");
        RsmProcess bridge = atBobs("bridge", ".", "team", "--back", "code", "--take-over");
        awaitSaid(bridge, RECEIVING);
        end(bridge);
        awaitSaid(up, "receiving for code from team");
        end(up);
    }

    @Test
    void eventsGoToTheBrokerWhereThatIsSwitchedOn() throws Exception {
        configure(bob, broker.url(), ", receive: [code], events: true");
        RsmProcess up = atBobs("up");
        awaitSaid(up, "receiving for code from team");
        Path heard = temp.resolve("heard");
        Process listening =
                new ProcessBuilder(
                                "mosquitto_sub",
                                "-V",
                                "5",
                                "-p",
                                String.valueOf(broker.port()),
                                "-t",
                                "rsm/hive/rse")
                        .redirectOutput(heard.toFile())
                        .start();
        try {
            await().atMost(PATIENCE)
                    .until(() -> {
                        ok(bob, "send --to docs --consent private secret-topic");
                        send(ann, "--to code please");
                        return Files.readString(heard).contains("rsm_envelope_emit");
                    });
            assertThat(Files.readString(heard))
                    .contains("\"inbox\":\"code\"")
                    .doesNotContain("secret-topic", "\"private\"");
        } finally {
            listening.destroyForcibly();
        }
    }

    @Test
    void whereZeroPointOneLeftNothingThereIsNothingToFetch() throws Exception {
        assertThat(ok(ann, "bridge . team --fetch-old"))
                .isEqualTo("carried 0 between . and team\n");
        assertThat(rsm(ann, "bridge . ../bob --fetch-old").exit()).isEqualTo(2);
    }

    @Test
    void whatLiesInAnInboxGoesToTheBroker() throws Exception {
        receiver();
        String id = AnswerSchemas.field(ok(ann, "send --to code --json please"), "id");
        assertThat(ok(ann, "bridge . team --domain code --drain"))
                .isEqualTo("carried 1 between . and team\n");
        assertThat(waiting(bob)).containsExactly(id);
        assertThat(waiting(ann)).isEmpty();
    }

    @Test
    void wrongBridgesAreRefused() throws Exception {
        Session.Result nothing = rsm(ann, "bridge . team");
        assertThat(nothing.exit()).isEqualTo(2);
        assertThat(nothing.err())
                .contains("found no inbox to receive from team, expected --back ADDRESS")
                .contains("rsm bridge . team --back code");
        Session.Result once = rsm(ann, "bridge . team --back code --once");
        assertThat(once.exit()).isEqualTo(2);
        assertThat(once.err()).contains("a broker does not say when that was all");
        assertThat(rsm(ann, "bridge . team --back nowhere").exit()).isEqualTo(6);
        ViaContract.configure(
                ann,
                "team: {url: \"%s\"}\n  other: {url: \"%s\"}"
                        .formatted(broker.url(), broker.url()));
        assertThat(rsm(ann, "bridge team other --back code").err())
                .contains("found two MQTT brokers");
    }

    @Test
    void doctorSaysWhatTheBrokerGrants() throws Exception {
        receiver();
        assertThat(ok(ann, "doctor"))
                .contains("transport team: it answers, reaches team, and carries mail")
                .contains("somebody receives for code")
                .contains("the broker keeps mail for 7d for a receiver that is gone");
    }

    @Test
    void anOlderBrokerIsRefusedByName() throws Exception {
        try (ServerSocket older = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> refuseVersion5(older));
            configure(ann, "mqtt://127.0.0.1:" + older.getLocalPort(), "");
            for (String line :
                    List.of("send --via team --to code please", "bridge . team --back code")) {
                Session.Result result = rsm(ann, line);
                assertThat(result.exit()).as("%s: %s", line, result).isEqualTo(1);
                assertThat(result.err()).contains("does not speak MQTT 5");
            }
            assertKept(ann, 0);
            assertThat(rsm(ann, "doctor").out())
                    .contains("error: transport team: found ")
                    .contains("does not speak MQTT 5");
        }
    }

    /// As a broker of 3.1.1 does.
    private static void refuseVersion5(ServerSocket server) {
        while (true) {
            try (Socket client = server.accept()) {
                InputStream in = client.getInputStream();
                int _ = in.read();
                client.getOutputStream().write(new byte[] {0x20, 2, 0, 1});
                client.getOutputStream().flush();
                byte[] _ = in.readNBytes(12);
            } catch (IOException e) {
                return;
            }
        }
    }

    /// Whoever knows the password may publish anything; what comes of it is told, and other mail
    /// arrives.
    @Test
    void aHostileClientHarmsNobody() throws Exception {
        RsmProcess bridge = receiver();
        Path junk = Files.write(temp.resolve("junk"), new byte[200 * 1024]);
        String inbox = "rsm/hive/inbox/code";
        publish("-t", inbox, "-m", "no envelope");
        publish("-t", inbox, "-r", "-m", "kept junk");
        publish("-t", inbox, "-f", junk.toString());
        publish("-t", "rsm/hive/presence/code", "-r", "-m", "{\"by\":");
        publish("-t", "rsm/hive/receipt/0123456789abcdef0123456789abcdef", "-m", "{}");
        publish("-t", inbox, "-D", "publish", "response-topic", "rsm/other/inbox/x", "-m", "x");
        awaitSaid(bridge, "a message was refused: ");
        assertThat(send(ann, "--to code please")).contains("\"state\":\"delivered\"");
        assertThat(waiting(bob)).hasSize(1);
        end(bridge);
    }

    private void publish(String... arguments) throws Exception {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                "mosquitto_pub",
                                "-V",
                                "5",
                                "-q",
                                "1",
                                "-p",
                                String.valueOf(broker.port())));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void sendersAndReceiversThatAreKilledLoseNothingAndDoubleNothing() throws Exception {
        boolean isLong = Boolean.getBoolean("rsm.long");
        int count = isLong ? 60 : 6;
        Random random = new Random(Long.getLong("rsm.seed", System.nanoTime()));
        ok(bob, "send --to docs hello");
        RsmProcess bridge = receiver();
        Set<String> ids = new HashSet<>();
        Instant end = Instant.now().plus(Duration.ofMinutes(isLong ? 20 : 4));
        for (int i = 0; i < count && Instant.now().isBefore(end); i++) {
            String id = "01KA0000000000000000000%03d".formatted(i);
            RsmProcess sender =
                    RsmProcess.start(
                            ann.cwd, "send", "--via", "team", "--to", "code", "--id", id, "mail");
            processes.add(sender);
            boolean isOver = sender.process().waitFor(random.nextInt(4_000), TimeUnit.MILLISECONDS);
            sender.process().destroyForcibly().waitFor();
            if (isOver) {
                assertThat(sender.process().exitValue()).as("%s", sender.errors()).isZero();
                ids.add(id);
            }
            if (i % 4 == 1) {
                bridge.process().destroyForcibly().waitFor();
                bridge = atBobs("bridge", ".", "team", "--back", "code", "--take-over");
            }
        }
        ok(bob, "doctor --fix");
        awaitSaid(bridge, RECEIVING);
        await().atMost(PATIENCE)
                .until(() -> {
                    ok(ann, "doctor --fix");
                    return ok(ann, "status --json").contains("\"outbox\":[]");
                });
        List<String> arrived = waiting(bob);
        assertThat(arrived).doesNotHaveDuplicates().containsAll(ids);
    }
}
