package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pheromone.cli.resident.ResidentAddress;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.testkit.McpText;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// `rsm mcp` that a resident process answers: as one of its own would, also when the resident ends,
/// dies, hangs or may not go on.
@Timeout(120)
class McpResidentTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int LINE_BYTES_MAX = 1 << 20;
    private static final int STAYS_MAX = 64;

    @TempDir Path folder;

    private final List<Process> started = new ArrayList<>();
    private Session session;
    private ResidentClient client;
    private HiveLayout layout;

    @BeforeEach
    void makeAHive() throws Exception {
        Path root = Files.createDirectory(folder.toRealPath().resolve("repo"));
        session = new Session(root);
        session.env.put("HOME", session.home.toString());
        client = new ResidentClient(kind(), folder.toRealPath().resolve("bin"));
        client.useIn(session);
        assertThat(session.rsm("init").exit()).isZero();
        layout = new HiveLayout(root);
    }

    ResidentClient.Kind kind() {
        return ResidentClient.Kind.C;
    }

    @AfterEach
    void stop() throws Exception {
        for (Process process : started) {
            process.destroyForcibly().waitFor();
        }
        client.close();
    }

    /// A client program that talks to `rsm mcp`.
    private final class Talk {

        private final Process process;
        private final Writer in;
        private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        private int id;

        Talk(String... by) throws IOException {
            process = client.start(List.of(by), session, List.of("mcp"));
            started.add(process);
            in = process.outputWriter(StandardCharsets.UTF_8);
            Thread _ =
                    Thread.ofVirtual()
                            .start(() -> {
                                try (BufferedReader out = process.inputReader()) {
                                    out.lines().forEach(lines::add);
                                } catch (IOException | UncheckedIOException e) {
                                    // The process has ended.
                                }
                            });
        }

        void say(String line) throws IOException {
            in.write(line + "\n");
            in.flush();
        }

        int begin(String tool, Json.Obj arguments) throws IOException {
            say(McpText.call(++id, tool, arguments).toString());
            return id;
        }

        String line() throws InterruptedException {
            String line = lines.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(line).as("an answer").isNotNull();
            return String.valueOf(line);
        }

        Json.Obj call(String tool, Json.Obj arguments) throws Exception {
            begin(tool, arguments);
            return answered();
        }

        Json.Obj answered() throws Exception {
            Json.Obj answer = (Json.Obj) Json.parse(line());
            assertThat(answer.number("id")).isEqualTo(id);
            return answer.object("result").object("structuredContent");
        }

        String actor() throws Exception {
            return call("hive_start", Json.obj()).text("actor");
        }

        void greet(String name) throws Exception {
            Json.Obj params =
                    Json.obj()
                            .put("protocolVersion", "2025-11-25")
                            .put("capabilities", Json.obj())
                            .put("clientInfo", Json.obj().put("name", name).put("version", "1"));
            say(McpText.request(++id, "initialize", params).toString());
            assertThat(line()).contains("serverInfo");
        }

        int ended() throws Exception {
            in.close();
            assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            return process.exitValue();
        }

        String errors() throws IOException {
            return new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static Json.Obj waiting() {
        return Json.obj().put("from", "code").put("wait_s", 50);
    }

    /// Begins to wait for mail, and returns once that is so: a call that came later is answered.
    private void takeWaiting(Talk talk) throws Exception {
        talk.begin("take", waiting());
        talk.say(McpText.request(900, "ping", Json.obj()).toString());
        assertThat(talk.line()).contains("900");
    }

    private long inCode() throws IOException {
        try (Stream<Path> files = Files.list(layout.hive().resolve("inbox/code"))) {
            return files.filter(file -> file.toString().endsWith(".md")).count();
        }
    }

    @Test
    void theAnswersAreThoseOfAProcessOfItsOwn() throws Exception {
        client.listen(session, layout);
        session.env.put("RSM_ACTOR", "claude-7f3a");
        String tooLong = "{\"x\":\"" + "x".repeat(LINE_BYTES_MAX) + "\"}";
        // The largest mail that there is, in a line of a megabyte less a little.
        String large =
                McpText.call(
                                7,
                                "send",
                                Json.obj()
                                        .put("to", Json.arr(List.of(Json.of("code"))))
                                        .put("body", "x".repeat(LINE_BYTES_MAX - 200)))
                        .toString();
        String input =
                String.join(
                                "\n",
                                McpText.request(
                                                1,
                                                "initialize",
                                                Json.obj().put("protocolVersion", "2025-06-18"))
                                        .toString(),
                                "nonsense",
                                "",
                                tooLong,
                                McpText.request(2, "tools/list", Json.obj()).toString(),
                                McpText.request(3, "no/such", Json.obj()).toString(),
                                McpText.call(4, "hive_start", Json.obj()).toString(),
                                "a line that is cut o")
                        .strip();
        Session.Result own = session.rsm(List.of("mcp"), input);
        Session.Result resident = client.run(session, List.of("mcp"), input);
        assertThat(resident).isEqualTo(own);
        assertThat(resident.exit()).isZero();

        Session.Result refused = client.run(session, List.of("mcp"), large + "\n");
        assertThat(refused.out()).contains("\"isError\":true").contains("body");
        assertThat(refused.out()).isEqualTo(session.rsm(List.of("mcp"), large + "\n").out());
    }

    @Test
    void aCancelledCallTakesNoMail() throws Exception {
        client.listen(session, layout);
        Talk talk = new Talk();
        takeWaiting(talk);
        talk.say(
                McpText.told("notifications/cancelled", Json.obj().put("requestId", 1)).toString());
        String actor = talk.actor();
        assertThat(actor).isNotEmpty();
        assertThat(session.rsm("send", "--to", "code", "please look").exit()).isZero();
        assertThat(talk.call("inbox", Json.obj().put("of", "code")).list("items")).hasSize(1);
        assertThat(talk.ended()).isZero();
        assertThat(inCode()).isEqualTo(1);
    }

    @Test
    void aClientThatIsKilledWhileItWaitsTakesNoMail() throws Exception {
        client.listen(session, layout);
        Talk talk = new Talk();
        takeWaiting(talk);
        talk.process.destroyForcibly().waitFor();
        client.stopListening();
        assertThat(session.rsm("send", "--to", "code", "please look").exit()).isZero();
        assertThat(inCode()).isEqualTo(1);
    }

    @Test
    void locksAreReadAnewAtEachCall() throws Exception {
        client.listen(session, layout);
        Talk talk = new Talk();
        Json.Obj paths = Json.obj().put("paths", Json.arr(List.of(Json.of("a.txt"))));
        assertThat(talk.call("check", paths).toString()).contains("\"allowed\":true");
        assertThat(session.rsm("lock", "do-not-alter", "a.txt", "--reason", "release").exit())
                .isZero();
        assertThat(talk.call("check", paths).toString()).contains("\"allowed\":false");
    }

    @Test
    void whoActsIsDecidedByTheProcessesAboveTheClient() throws Exception {
        client.listen(session, layout);
        session.env.put("RSM_ACTOR", "somebody-else");
        Path codex = folder.resolve("codex");
        Files.copy(Path.of("/bin/bash"), codex);
        assertThat(codex.toFile().setExecutable(true)).isTrue();
        Talk talk = new Talk(codex.toString(), "-c", "\"$@\"; :", "codex");
        assertThat(talk.actor()).isEqualTo("somebody-else");
        session.env.remove("RSM_ACTOR");
        session.env.put("RSM_CALLER_PID", String.valueOf(talk.process.pid()));
        String start = "{\"session_id\":\"0199-4a1e\",\"hook_event_name\":\"SessionStart\"}";
        assertThat(session.rsm(List.of("hook", "codex", "SessionStart"), start).exit()).isZero();
        assertThat(talk.actor()).startsWith("codex-").isEqualTo(seated());
        // A client that was started outside of that program.
        session.env.remove("RSM_CALLER_PID");
        assertThat(new Talk().actor()).startsWith("agent-");
    }

    private String seated() {
        return session.rsm("agents", "--quiet").out().strip();
    }

    @Test
    void whenTheResidentEndsTheSessionGoesOnInAProcessOfItsOwn() throws Exception {
        client.listen(session, layout);
        client.makeLauncherReal();
        assertThat(session.rsm("send", "--to", "code", "please look").exit()).isZero();
        Talk talk = new Talk();
        talk.greet("codex-mcp-client");
        String actor = talk.actor();
        assertThat(actor).startsWith("codex-");
        String claim = talk.call("take", Json.obj().put("from", "code")).text("claim");
        client.stopListening();
        assertThat(talk.actor()).isEqualTo(actor);
        Json.Obj done = talk.call("done", Json.obj().put("claim", claim).put("status", "done"));
        assertThat(done.text("state")).isEqualTo("done");
        assertThat(talk.ended()).isZero();
    }

    @Test
    void whatWaitsIsAnsweredBeforeTheResidentEnds() throws Exception {
        client.listen(session, layout);
        Talk talk = new Talk();
        takeWaiting(talk);
        long began = System.nanoTime();
        client.stopListening();
        assertThat(talk.answered().toString()).contains("\"taken\":false");
        assertThat(talk.line()).startsWith("cold 1: mcp");
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(9));
        assertThat(talk.ended()).isEqualTo(ResidentClient.COLD);
    }

    @Test
    void aResidentThatIsKilledBetweenCallsIsNotMissed() throws Exception {
        Process up = client.startUp(session, layout);
        started.add(up);
        client.makeLauncherReal();
        Talk talk = new Talk();
        talk.greet("codex-mcp-client");
        String actor = talk.actor();
        letItRest();
        up.destroyForcibly().waitFor();
        assertThat(talk.actor()).isEqualTo(actor);
        assertThat(talk.ended()).isZero();
        assertThat(talk.errors()).isEmpty();
    }

    @Test
    void aResidentThatIsKilledInTheMiddleOfACallEndsTheSessionWhichSaysSo() throws Exception {
        Process up = client.startUp(session, layout);
        started.add(up);
        Talk talk = new Talk();
        takeWaiting(talk);
        up.destroyForcibly().waitFor();
        assertThat(talk.ended()).isEqualTo(1);
        assertThat(talk.errors())
                .contains("the resident process ended while it worked on this command");
        assertThat(talk.lines).isEmpty();
    }

    @Test
    void aResidentThatIsStoppedKeepsNobodyWaitingForLong() throws Exception {
        Process up = client.startUp(session, layout);
        started.add(up);
        client.makeLauncherReal();
        Talk talk = new Talk();
        String actor = talk.actor();
        letItRest();
        signal("STOP", up);
        await().atMost(PATIENCE).until(() -> isStopped(up));
        try {
            assertThat(talk.actor()).isEqualTo(actor);
        } finally {
            signal("CONT", up);
        }
        assertThat(talk.ended()).isZero();
    }

    /// Lets the resident say that a call was answered, which it does right behind the answer: a
    /// whole command takes longer.
    private void letItRest() throws Exception {
        assertThat(client.run(session, List.of("inbox", "code"), "").exit()).isZero();
    }

    /// Whether each thread has heard of the signal.
    private static boolean isStopped(Process process) throws IOException {
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
            for (Path thread : threads.toList()) {
                String stat = Files.readString(thread.resolve("stat"));
                if (!stat.substring(stat.lastIndexOf(')')).startsWith(") T")) {
                    return false;
                }
            }
        }
        return true;
    }

    private static void signal(String name, Process process) throws Exception {
        Process kill =
                new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start();
        assertThat(kill.waitFor()).isZero();
    }

    @Test
    void whatWouldBeSignedIsSentByAProcessOfItsOwn() throws Exception {
        client.listen(session, layout);
        Talk talk = new Talk();
        assertThat(talk.actor()).isNotEmpty();
        Files.writeString(layout.configuration(), "format: 1\nsignatures: required\n");
        talk.begin("hive_start", Json.obj());
        assertThat(talk.line()).startsWith("cold 1: mcp");
    }

    @Test
    void aGuardProgramThatAppearsIsAskedByAProcessOfItsOwn() throws Exception {
        client.listen(session, layout);
        Talk talk = new Talk();
        assertThat(talk.actor()).isNotEmpty();
        Files.writeString(
                Files.createDirectories(layout.hive().resolve("tools")).resolve("policy_guard.sh"),
                "#!/bin/sh\nexit 0\n");
        talk.begin("hive_start", Json.obj());
        assertThat(talk.line()).startsWith("cold 1: mcp");
    }

    @Test
    void fortySessionsAtOnceAreAnsweredAndSoIsACommand() throws Exception {
        client.listen(session, layout);
        // On a busy machine some help themselves, as with every command.
        client.makeLauncherReal();
        List<Talk> talks = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            session.env.put("RSM_ACTOR", "agent-" + i);
            talks.add(new Talk());
        }
        for (int i = 0; i < talks.size(); i++) {
            assertThat(talks.get(i).actor()).isEqualTo("agent-" + i);
        }
        assertThat(client.run(session, List.of("inbox", "code"), "").exit()).isZero();
        for (Talk talk : talks) {
            assertThat(talk.ended()).isZero();
        }
    }

    @Test
    void clientsThatHangLeaveRoomForCommandsAndDoNotKeepTheResident() throws Exception {
        client.listen(session, layout);
        ResidentAddress address = ResidentAddress.of(layout, session.surroundings()).getFirst();
        List<SocketChannel> open = new ArrayList<>();
        try {
            for (int i = 0; i < STAYS_MAX; i++) {
                SocketChannel raw = RawClient.connect(address);
                open.add(raw);
                OutputStream to = Channels.newOutputStream(raw);
                to.write(RawClient.request(session, "mcp"));
                DataInputStream from = new DataInputStream(Channels.newInputStream(raw));
                assertThat(from.readNBytes(RawClient.ACCEPTED.length())).endsWith(0, 0, 0, 0);
                to.write(RawClient.BEGIN);
                // At rest, and waiting for a line that never comes.
                assertThat((char) from.read()).isEqualTo('q');
            }
            assertThat(client.run(session, List.of("mcp"), "").exit())
                    .isEqualTo(ResidentClient.COLD);
            assertThat(client.run(session, List.of("inbox", "code"), "").exit()).isZero();
            long began = System.nanoTime();
            client.stopListening();
            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .isLessThan(Duration.ofSeconds(9));
        } finally {
            for (SocketChannel raw : open) {
                raw.close();
            }
        }
    }

    @Test
    void whoHasLeftLeavesAPlace() throws Exception {
        client.listen(session, layout);
        for (int i = 0; i < STAYS_MAX + 6; i++) {
            Talk talk = new Talk();
            assertThat(talk.actor()).isNotEmpty();
            talk.process.destroyForcibly().waitFor();
        }
        await().atMost(PATIENCE).until(() -> client.run(session, List.of("mcp"), "").exit() == 0);
        assertThat(Map.copyOf(session.env)).doesNotContainKey("RSM_MCP_CLIENT");
    }
}
