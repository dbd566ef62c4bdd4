package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Program;
import dev.pheromone.cli.frame.Surroundings;
import dev.pheromone.cli.resident.Ending;
import dev.pheromone.cli.resident.Endpoint;
import dev.pheromone.cli.resident.Resident;
import dev.pheromone.cli.resident.ResidentAddress;
import dev.pheromone.disk.HiveLayout;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/// The resident process and its client, the one in C: which commands are answered, and what becomes
/// of them when one of the two fails.
@Timeout(120)
class ResidentTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir Path folder;

    private Session session;
    private ResidentClient client;
    private HiveLayout layout;

    @BeforeEach
    void makeAHive() throws Exception {
        Path root = Files.createDirectory(folder.toRealPath().resolve("repo"));
        session = new Session(root);
        session.env.put("RSM_ACTOR", "builder");
        client = new ResidentClient(kind(), folder.toRealPath().resolve("bin"));
        client.useIn(session);
        assertThat(session.rsm("init").exit()).isZero();
        layout = new HiveLayout(root);
    }

    ResidentClient.Kind kind() {
        return ResidentClient.Kind.C;
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
    }

    private Session.Result rsm(String... words) throws Exception {
        return client.run(session, List.of(words), "");
    }

    private long waiting(String inbox) throws IOException {
        try (Stream<Path> files = Files.list(layout.hive().resolve("inbox/" + inbox))) {
            return files.filter(file -> file.toString().endsWith(".md")).count();
        }
    }

    private void assertCold(Session.Result result) {
        assertThat(result.exit()).as(result.out() + result.err()).isEqualTo(ResidentClient.COLD);
        assertThat(result.out()).startsWith("cold 1: ");
    }

    private ResidentAddress address() throws IOException {
        return ResidentAddress.of(layout, session.surroundings()).getFirst();
    }

    @Nested
    class WhileOneListens {

        @BeforeEach
        void listen() throws IOException {
            client.listen(session, layout);
        }

        @Test
        void mailIsSentTakenAndDone() throws Exception {
            assertThat(rsm("send", "--to", "code", "please look").exit()).isZero();
            Session.Result taken = rsm("select", "code", "--quiet");
            assertThat(taken.exit()).isZero();
            assertThat(rsm("ack", taken.out().strip(), "done").exit()).isZero();
            assertThat(rsm("select", "code").exit()).isEqualTo(4);
        }

        @Test
        void standardInputIsReadFromTheClient() throws Exception {
            String text = "line\n".repeat(10_000);
            Session.Result sent =
                    client.run(session, List.of("send", "--to", "code", "--json", "-"), text);
            assertThat(sent.exit()).as(sent.err()).isZero();
            String id = AnswerSchemas.field(sent.out(), "id");
            assertThat(rsm("read", id).out()).contains("line\nline\n");
        }

        @Test
        void whatIsForPeopleStaysOrNamesFilesGoesAnotherWay() throws Exception {
            Path body = Files.writeString(session.cwd.resolve("body.txt"), "text");
            for (List<String> words :
                    List.of(
                            List.of("unlock", "x"),
                            List.of("lock", "trust-guard", "--by", "ada"),
                            List.of("keys", "list"),
                            List.of("embargo"),
                            List.of("up"),
                            List.of("work", "code", "--", "true"),
                            List.of("watch"),
                            List.of("status", "--watch"),
                            List.of("log", "--follow"),
                            List.of("select", "code", "--wait", "1s"),
                            List.of("send", "--to", "code", "--body-file", body.toString()),
                            List.of("send", "--to", "code", "--attach", body.toString(), "x"),
                            List.of("send", "--to", "code", "--wait-reply", "1s", "x"),
                            List.of("send", "--to", "code", "--via", "team", "x"),
                            List.of("sned", "--to", "code", "x"),
                            List.of("send", "--help"))) {
                assertCold(client.run(session, words, ""));
            }
            assertThat(waiting("code")).isZero();
        }

        @Test
        void aFolderOutsideOfTheHiveGoesAnotherWay() throws Exception {
            session.cwd = folder;
            assertCold(rsm("inbox", "code"));
            assertThat(rsm("--root", layout.root().toString(), "inbox", "code").exit()).isZero();
        }

        @Test
        void aGuardProgramOfTheHiveIsAskedByAProcessOfTheCallersOwn() throws Exception {
            assertThat(rsm("check", "a.txt").exit()).isZero();
            Files.writeString(
                    Files.createDirectories(layout.hive().resolve("tools"))
                            .resolve("policy_guard.sh"),
                    "#!/bin/sh\nexit 0\n");
            assertCold(rsm("check", "a.txt"));
        }

        @Test
        void aLockSetAMomentAgoHolds() throws Exception {
            assertThat(rsm("check", "--write", "a.txt").exit()).isZero();
            assertThat(session.rsm("lock", "do-not-alter", "a.txt", "--reason", "release").exit())
                    .isZero();
            assertThat(rsm("check", "--write", "a.txt").exit()).isEqualTo(3);
            assertThat(session.rsm("lock", "hive", "--reason", "stop").exit()).isZero();
            assertThat(rsm("send", "--to", "code", "x").exit()).isEqualTo(3);
        }

        @Test
        void aClaimThatNobodyCanBeToldOfIsReleased() throws Exception {
            assertThat(rsm("send", "--to", "code", "please look").exit()).isZero();
            try (SocketChannel raw = RawClient.connect(address())) {
                OutputStream to = Channels.newOutputStream(raw);
                to.write(RawClient.request(session, "select", "code"));
                DataInputStream from = new DataInputStream(Channels.newInputStream(raw));
                assertThat(new String(from.readNBytes(10), StandardCharsets.US_ASCII))
                        .isEqualTo(RawClient.ACCEPTED);
                to.write(RawClient.BEGIN);
                assertThat((char) from.read()).isEqualTo('o');
            }
            await().atMost(PATIENCE).until(() -> waiting("code") == 1);
        }

        @Test
        void aClientThatHangsInTheMiddleOfItsAnswerKeepsNobodyFromLocking() throws Exception {
            assertThat(rsm("send", "--to", "code", "please look").exit()).isZero();
            try (SocketChannel raw = RawClient.connect(address())) {
                OutputStream to = Channels.newOutputStream(raw);
                to.write(RawClient.request(session, "select", "code"));
                DataInputStream from = new DataInputStream(Channels.newInputStream(raw));
                assertThat(from.readNBytes(RawClient.ACCEPTED.length())).isNotEmpty();
                to.write(RawClient.BEGIN);
                assertThat((char) from.read()).isEqualTo('o');
                // The claim is made, and its answer is never taken.
                assertThat(waiting("code")).isZero();
                assertThat(session.rsm("lock", "hive", "--reason", "stop").exit()).isZero();
                assertThat(session.rsm("unlock", "hive", "--by", "you").exit()).isZero();
                assertThat(rsm("inbox", "code").exit()).isZero();
            }
            await().atMost(PATIENCE).until(() -> waiting("code") == 1);
        }

        @Test
        void aClientThatLeavesBeforeItSaysBeginHasDoneNothing() throws Exception {
            try (SocketChannel raw = RawClient.connect(address())) {
                Channels.newOutputStream(raw)
                        .write(RawClient.request(session, "send", "--to", "code", "x"));
                assertThat(
                                new String(
                                        Channels.newInputStream(raw).readNBytes(10),
                                        StandardCharsets.US_ASCII))
                        .isEqualTo(RawClient.ACCEPTED);
            }
            assertThat(rsm("inbox", "code").exit()).isZero();
            assertThat(waiting("code")).isZero();
        }

        /// What the resident says to a client that was told to begin, until something is asked of
        /// it.
        private SocketChannel begun(String... words) throws Exception {
            SocketChannel raw = RawClient.connect(address());
            OutputStream to = Channels.newOutputStream(raw);
            to.write(RawClient.request(session, words));
            DataInputStream from = new DataInputStream(Channels.newInputStream(raw));
            assertThat(from.readNBytes(RawClient.ACCEPTED.length())).isNotEmpty();
            to.write(RawClient.BEGIN);
            assertThat((char) from.read()).isEqualTo('o');
            from.readNBytes(from.readInt());
            return raw;
        }

        @Test
        void whatNobodyAskedForEndsItsClient() throws Exception {
            for (char unasked : List.of('i', 'j', 'G', 'R')) {
                try (SocketChannel raw = begun("inbox", "code")) {
                    Channels.newOutputStream(raw).write(new byte[] {(byte) unasked, 0, 0, 0, 0});
                    // The output would wait for minutes for its answer.
                    byte[] rest = Channels.newInputStream(raw).readAllBytes();
                    assertThat(rest.length).isLessThan(100);
                }
            }
            assertThat(rsm("inbox", "code").exit()).isZero();
        }

        @Test
        void oneThatRunsOutOfMemoryEndsAndAHookThatItAnsweredBlocks() throws Exception {
            client.close();
            client = new ResidentClient(folder.toRealPath().resolve("bin10"));
            client.useIn(session);
            Program exhausted =
                    new Program() {
                        @Override
                        public int run(List<String> words, Surroundings surroundings) {
                            throw new OutOfMemoryError("thrown by a test");
                        }

                        @Override
                        public Optional<Invocation> servable(
                                List<String> words, Surroundings surroundings) {
                            return Rsm.PROGRAM.servable(words, surroundings);
                        }
                    };
            List<Ending> ends = new CopyOnWriteArrayList<>();
            try (Endpoint _ =
                    Endpoint.start(ResidentClient.call(session, exhausted), layout, 0, ends::add)
                            .orElseThrow()) {
                assertThat(rsm("inbox", "code").exit()).isEqualTo(1);
                assertThat(ends).containsExactly(Ending.EXHAUSTED);
                Session.Result hook = rsm("hook", "claude", "PreToolUse");
                assertThat(hook.exit()).isEqualTo(2);
                assertThat(hook.err()).contains("ended with exit 1", "blocked");
            }
        }

        @Test
        void nothingIsSignedByIt() throws Exception {
            assertThat(rsm("send", "--to", "code", "x").exit()).isZero();
            assertCold(rsm("send", "--to", "code", "--sign", "x"));
            assertCold(rsm("send", "--to", "code", "--key", "abc", "x"));
            assertCold(rsm("send", "--to", "code", "--consent", "public", "--public", "x"));
            assertCold(client.run(session, List.of("send", "--envelope", "-"), ""));
            Files.writeString(layout.configuration(), "format: 1\nsignatures: required\n");
            assertCold(rsm("send", "--to", "code", "x"));
            assertThat(rsm("inbox", "code").exit()).isZero();
        }

        @Test
        void aFileNamedLikeADashIsNotWritten() throws Exception {
            assertCold(rsm("slo", "--html", "-"));
            Session.Result refused = session.rsm("slo", "--html", "-");
            assertThat(refused.exit()).isEqualTo(2);
            assertThat(refused.err()).contains("found -, expected a file");
            assertThat(session.cwd.resolve("-")).doesNotExist();
        }

        @Test
        void aTimeZoneThatJavaDoesNotKnowGoesAnotherWay() throws Exception {
            session.env.put("TZ", "Europe/Berlin");
            assertThat(rsm("inbox", "code").exit()).isZero();
            session.env.put("TZ", ":/etc/localtime");
            assertCold(rsm("inbox", "code"));
        }

        @Test
        void aClosedStandardStreamGoesAnotherWay() throws Exception {
            for (String closed : List.of("<&-", "2>&-")) {
                assertCold(
                        client.run(
                                List.of("sh", "-c", "exec \"$@\" " + closed, "sh"),
                                session,
                                List.of("inbox", "code"),
                                ""));
            }
            Session.Result silent =
                    client.run(
                            List.of("sh", "-c", "exec \"$@\" >&-", "sh"),
                            session,
                            List.of("inbox", "code"),
                            "");
            assertThat(silent.exit()).isEqualTo(ResidentClient.COLD);
        }

        @Test
        void inASandboxWithFilesOfItsOwnCommandsGoAnotherWay() throws Exception {
            List<String> sandbox = List.of("unshare", "--mount");
            try {
                if (new ProcessBuilder("unshare", "--mount", "true").start().waitFor() != 0) {
                    throw new IOException("not allowed");
                }
            } catch (IOException e) {
                throw OtherVersion.notRun("ResidentTest", "it can't make a mount namespace here");
            }
            assertThat(rsm("inbox", "code").exit()).isZero();
            assertCold(client.run(sandbox, session, List.of("inbox", "code"), ""));
        }

        @Test
        void anotherEnvironmentFindsTheSameLock() throws Exception {
            session.env.remove("XDG_RUNTIME_DIR");
            assertThatThrownBy(
                            () -> Endpoint.start(ResidentClient.call(session), layout, 0, _ -> {}))
                    .isInstanceOf(Endpoint.AlreadyRunsException.class)
                    .hasMessageContaining("process " + ProcessHandle.current().pid());
        }

        @Test
        void clientsThatLeaveBeforeTheyAreGreetedLeaveNothingBehind() throws Exception {
            long before = socketsOpen();
            for (int i = 0; i < 500; i++) {
                RawClient.connect(address()).close();
            }
            assertThat(rsm("inbox", "code").exit()).isZero();
            await().atMost(PATIENCE).until(() -> socketsOpen() <= before + 5);
        }

        private static long socketsOpen() throws IOException {
            long count = 0;
            try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
                for (Path each : all.toList()) {
                    try {
                        count +=
                                Files.readSymbolicLink(each).toString().startsWith("socket")
                                        ? 1
                                        : 0;
                    } catch (IOException e) {
                        // It was closed meanwhile.
                    }
                }
            }
            return count;
        }

        @Test
        void oneWhoseSocketOrLockWasRemovedEnds() throws Exception {
            client.close();
            client = new ResidentClient(folder.toRealPath().resolve("bin9"));
            client.useIn(session);
            for (boolean isLock : List.of(true, false)) {
                List<Ending> ends = new CopyOnWriteArrayList<>();
                try (Endpoint _ =
                        Endpoint.start(ResidentClient.call(session), layout, 0, ends::add)
                                .orElseThrow()) {
                    Path socket = address().socket();
                    Path lock =
                            layout.residentLock((Integer) Files.getAttribute(socket, "unix:uid"));
                    Files.delete(isLock ? lock : socket);
                    await().atMost(PATIENCE).until(() -> !ends.isEmpty());
                    assertThat(ends).containsExactly(Ending.PLACE_LOST);
                    if (!isLock) {
                        // What is there now is not its own.
                        Files.createFile(socket);
                    }
                }
            }
            assertThat(address().socket()).exists();
        }

        @Test
        void otherPermissionsForNewFilesGoAnotherWay() throws Exception {
            session.env.put("RSM_UMASK", "0777");
            client.close();
            try (ResidentClient other = new ResidentClient(folder.toRealPath().resolve("bin2"))) {
                other.useIn(session);
                other.listen(session, layout);
                assertCold(other.run(session, List.of("inbox", "code"), ""));
            }
            client = new ResidentClient(folder.toRealPath().resolve("bin3"));
        }

        @Test
        void clientsThatHangOrSpeakNonsenseHarmNobody() throws Exception {
            List<SocketChannel> hanging = new ArrayList<>();
            try {
                for (int i = 0; i < 50; i++) {
                    hanging.add(RawClient.connect(address()));
                }
                for (byte[] nonsense :
                        List.of(
                                new byte[] {'R', 0x7f, 0x7f, 0x7f, 0x7f},
                                new byte[] {'R', 0, 0, 0, 1, 9},
                                new byte[] {'R', 0, 0, 0, 2, 1, 1},
                                new byte[] {'?', 0, 0, 0, 0},
                                "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8))) {
                    try (SocketChannel raw = RawClient.connect(address())) {
                        Channels.newOutputStream(raw).write(nonsense);
                        DataInputStream from = new DataInputStream(Channels.newInputStream(raw));
                        assertThat(from.readNBytes(5)[0]).isEqualTo((byte) 'H');
                        assertThatThrownBy(from::readByte).isInstanceOf(IOException.class);
                    }
                }
                assertThat(rsm("inbox", "code").exit()).isZero();
            } finally {
                for (SocketChannel channel : hanging) {
                    channel.close();
                }
            }
        }

        @Test
        void twoHundredClientsAtOnceAreAllAnswered() throws Exception {
            List<Process> senders = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                session.env.put("RSM_ACTOR", "agent-" + i % 20);
                senders.add(client.start(session, List.of("send", "--to", "code", "mail " + i)));
            }
            int cold = 0;
            for (Process sender : senders) {
                int exit = sender.waitFor();
                cold += exit == ResidentClient.COLD ? 1 : 0;
                assertThat(exit).isIn(0, ResidentClient.COLD);
            }
            // Who was not answered in time went another way, and nothing was done twice.
            assertThat(waiting("code")).isEqualTo(200 - cold);
        }

        @Test
        void aSecondOneIsRefusedAndTheFirstIsFound() throws Exception {
            assertThatThrownBy(
                            () -> Endpoint.start(ResidentClient.call(session), layout, 0, _ -> {}))
                    .isInstanceOf(Endpoint.AlreadyRunsException.class);
            assertThat(Resident.of(layout, session.surroundings()).orElseThrow().pid())
                    .isEqualTo(ProcessHandle.current().pid());
            assertThat(session.rsm("status").out()).contains("resident: process ");
            Session.Result status = session.rsm("status", "--json");
            assertThat(new AnswerSchemas().problems("status", status.out())).isEmpty();
            assertThat(session.rsm("up").exit()).isEqualTo(5);
        }

        @Test
        void onceItHasEndedCommandsGoAnotherWay() throws Exception {
            client.close();
            assertCold(rsm("inbox", "code"));
            assertThat(session.rsm("down", "--json").out()).contains("\"stopped\":false");
            client = new ResidentClient(folder.toRealPath().resolve("bin4"));
        }

        @Test
        void aHiveThatIsMovedAwayEndsIt() throws Exception {
            client.close();
            client = new ResidentClient(folder.toRealPath().resolve("bin5"));
            client.useIn(session);
            List<Ending> ends = new CopyOnWriteArrayList<>();
            try (Endpoint _ =
                    Endpoint.start(ResidentClient.call(session), layout, 0, ends::add)
                            .orElseThrow()) {
                Files.move(layout.hive(), layout.root().resolve("elsewhere"));
                await().atMost(PATIENCE).until(() -> !ends.isEmpty());
                assertThat(ends).containsExactly(Ending.HIVE_GONE);
            }
        }

        @Test
        void aHiveThatIsDeletedEndsIt() throws Exception {
            client.close();
            client = new ResidentClient(folder.toRealPath().resolve("bin8"));
            client.useIn(session);
            List<Ending> ends = new CopyOnWriteArrayList<>();
            try (Endpoint _ =
                    Endpoint.start(ResidentClient.call(session), layout, 0, ends::add)
                            .orElseThrow()) {
                deleteHive();
                await().atMost(PATIENCE).until(() -> !ends.isEmpty());
                assertThat(ends).containsExactly(Ending.HIVE_GONE);
            }
            assertThat(layout.hive()).doesNotExist();
        }

        @Test
        void aHiveThatIsMadeAnewInItsPlaceIsNotAnsweredByTheOldOne() throws Exception {
            deleteHive();
            assertThat(session.rsm("init").exit()).isZero();
            assertCold(rsm("inbox", "code"));
        }

        private void deleteHive() throws IOException {
            // Before the deleting, so that the resident does not write into half of a hive.
            Path aside = Files.move(layout.hive(), folder.resolve("aside"));
            try (Stream<Path> all = Files.walk(aside)) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }

        @Test
        void anotherBuildEndsIt() throws Exception {
            client.close();
            client = new ResidentClient(folder.toRealPath().resolve("bin6"));
            client.useIn(session);
            List<Ending> ends = new CopyOnWriteArrayList<>();
            try (Endpoint _ =
                    Endpoint.start(ResidentClient.call(session), layout, 0, ends::add)
                            .orElseThrow()) {
                Path jar = client.launcher.resolveSibling("target/rsm/rsm.jar");
                Path fresh = Files.writeString(jar.resolveSibling("new"), "another build");
                Files.move(fresh, jar, StandardCopyOption.REPLACE_EXISTING);
                // The client looks for the resident of the new build, and there is none.
                assertCold(rsm("inbox", "code"));
                await().atMost(PATIENCE).until(() -> !ends.isEmpty());
                assertThat(ends).containsExactly(Ending.PROGRAM_CHANGED);
            }
        }

        @Test
        void aSourceThatIsNewerThanTheBuildEndsItOnceSomebodyAsks() throws Exception {
            client.close();
            client = new ResidentClient(folder.toRealPath().resolve("bin7"));
            client.useIn(session);
            Path source =
                    Files.createDirectories(
                                    client.launcher.resolveSibling("core/src/main/java/dev"))
                            .resolve("A.java");
            Files.writeString(source, "class A {}");
            FileTime before = FileTime.from(Instant.parse("2025-01-01T00:00:00Z"));
            for (Path at = source; !at.endsWith("bin7"); at = at.getParent()) {
                Files.setLastModifiedTime(at, before);
            }
            List<Ending> ends = new CopyOnWriteArrayList<>();
            try (Endpoint _ =
                    Endpoint.start(ResidentClient.call(session), layout, 0, ends::add)
                            .orElseThrow()) {
                assertThat(rsm("inbox", "code").exit()).isZero();
                assertThat(ends).isEmpty();
                Files.setLastModifiedTime(
                        source, FileTime.from(Instant.parse("2100-01-01T00:00:00Z")));
                assertThat(rsm("inbox", "code").exit()).isZero();
                await().atMost(PATIENCE).until(() -> !ends.isEmpty());
                assertThat(ends).containsExactly(Ending.PROGRAM_CHANGED);
            }
        }
    }

    @Nested
    class WithoutAFolderForTheRunningSystem {

        @Test
        void itListensInTheCacheOfTheUser() throws Exception {
            session.env.remove("XDG_RUNTIME_DIR");
            session.env.put("HOME", session.home.toString());
            client.listen(session, layout);
            assertThat(address().socket()).startsWith(session.home.resolve(".cache/pheromone"));
            assertThat(rsm("inbox", "code").exit()).isZero();
        }

        @Test
        void wherePathsAreTooLongForASocketCommandsGoTheirOwnWay() throws Exception {
            Path far = Files.createDirectories(folder.resolve("f".repeat(120)));
            Session there = new Session(far);
            there.launcher = client.launcher;
            there.env.put("HOME", there.home.toString());
            assertThat(there.rsm("init").exit()).isZero();
            HiveLayout hive = new HiveLayout(far);
            assertThat(Endpoint.start(ResidentClient.call(there), hive, 0, _ -> {})).isEmpty();
            assertCold(client.run(there, List.of("inbox", "code"), ""));
            Session.Result detached = there.rsm("up", "--detach");
            assertThat(detached.exit()).isEqualTo(1);
            assertThat(detached.err()).contains("no folder for a socket");
        }
    }

    /// In the place of the resident, something that fails in a certain way.
    @Nested
    class WhenTheResidentFails {

        private ServerSocketChannel pretend(String answers) throws Exception {
            client.listen(session, layout);
            Path socket = address().socket();
            client.stopListening();
            ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            server.bind(UnixDomainSocketAddress.of(socket));
            Thread _ =
                    Thread.ofVirtual()
                            .start(() -> {
                                try (SocketChannel caller = server.accept()) {
                                    DataInputStream from =
                                            new DataInputStream(Channels.newInputStream(caller));
                                    from.read();
                                    from.readNBytes(from.readInt());
                                    for (char answer : answers.toCharArray()) {
                                        if (answer == 'X') {
                                            caller.write(
                                                    ByteBuffer.wrap(
                                                            new byte[] {'x', 0, 0, 0, 1, 1}));
                                            continue;
                                        }
                                        caller.write(
                                                ByteBuffer.wrap(
                                                        new byte[] {(byte) answer, 0, 0, 0, 0}));
                                        if (answer != 'H') {
                                            from.readNBytes(5);
                                        }
                                    }
                                } catch (IOException e) {
                                    // The client left.
                                }
                            });
            return server;
        }

        @Test
        void beforeItBeginsTheCommandGoesAnotherWay() throws Exception {
            try (ServerSocketChannel _ = pretend("")) {
                assertCold(rsm("send", "--to", "code", "x"));
            }
        }

        @Test
        void oneThatDiesWhileItJudgesHasDoneNothing() throws Exception {
            try (ServerSocketChannel _ = pretend("H")) {
                assertCold(rsm("send", "--to", "code", "x"));
            }
        }

        @Test
        void whatItDeclinesGoesAnotherWay() throws Exception {
            try (ServerSocketChannel _ = pretend("HN")) {
                assertCold(rsm("send", "--to", "code", "x"));
            }
        }

        @Test
        void afterItBeganNothingIsDoneASecondTime() throws Exception {
            try (ServerSocketChannel _ = pretend("HA")) {
                Session.Result lost = rsm("send", "--to", "code", "x");
                assertThat(lost.exit()).isEqualTo(1);
                assertThat(lost.out()).isEmpty();
                assertThat(lost.err()).contains("ended while it worked on this command", "rsm log");
            }
        }

        @Test
        void aHookThatEndsOddlyBlocks() throws Exception {
            try (ServerSocketChannel _ = pretend("HAX")) {
                Session.Result odd = rsm("hook", "claude", "PreToolUse");
                assertThat(odd.exit()).isEqualTo(2);
                assertThat(odd.err()).contains("ended with exit 1", "blocked");
            }
        }

        @Test
        void aHookBlocks() throws Exception {
            try (ServerSocketChannel _ = pretend("HA")) {
                assertThat(rsm("hook", "claude", "PreToolUse").exit()).isEqualTo(2);
            }
        }

        @Test
        void aBellBlocksNothing() throws Exception {
            // As the launcher says it, by the event.
            session.env.put("RSM_BELL", "1");
            try (ServerSocketChannel _ = pretend("HA")) {
                assertThat(rsm("hook", "claude", "PostToolUse").exit()).isZero();
            }
        }

        @Test
        void oneThatNeverAnswersIsNotWaitedForLong() throws Exception {
            client.listen(session, layout);
            Path socket = address().socket();
            client.stopListening();
            try (ServerSocketChannel server =
                    ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                server.bind(UnixDomainSocketAddress.of(socket));
                assertCold(rsm("inbox", "code"));
            }
        }

        @Test
        void aSocketThatAKilledOneLeftIsNoHindrance() throws Exception {
            pretend("").close();
            assertThat(address().socket()).exists();
            assertCold(rsm("inbox", "code"));
            client.listen(session, layout);
            assertThat(rsm("inbox", "code").exit()).isZero();
        }

        @Test
        void aFolderThatOthersMayEnterIsNotUsed() throws Exception {
            client.listen(session, layout);
            assertThat(rsm("inbox", "code").exit()).isZero();
            Files.setPosixFilePermissions(
                    client.socketFolder(), PosixFilePermissions.fromString("rwxrwxrwx"));
            assertCold(rsm("inbox", "code"));
            client.stopListening();
            assertThatThrownBy(() -> client.listen(session, layout))
                    .hasMessageContaining("others may enter");
        }
    }
}
