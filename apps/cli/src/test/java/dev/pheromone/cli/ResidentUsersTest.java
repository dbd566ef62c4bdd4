package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.cli.resident.ResidentAddress;
import dev.pheromone.disk.HiveLayout;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/// Two users on one machine: the resident of one answers none but them, and the client of one talks
/// to no resident of another.
final class ResidentUsersTest {

    /// The user that owns nothing, under the number that Linux has for it everywhere.
    private static final List<String> AS_NOBODY =
            List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");

    /// Says hello to the socket, and prints what comes.
    private static final String KNOCK =
            "use IO::Socket::UNIX; $SIG{PIPE} = 'IGNORE';"
                    + " my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die;"
                    + " print $s pack('aN', 'P', 0); $s->flush; local $/; print <$s>";

    @TempDir Path folder;

    private Session session;
    private HiveLayout layout;

    @BeforeEach
    void aHiveThatOthersCanReach() throws Exception {
        if (run(AS_NOBODY, List.of("true")).exit() != 0) {
            throw OtherVersion.notRun("ResidentUsersTest", "it can't run as another user here");
        }
        Path root = Files.createDirectory(folder.toRealPath().resolve("repo"));
        session = new Session(root);
        session.env.put("RSM_ACTOR", "builder");
        open(folder);
        assertThat(session.rsm("init").exit()).isZero();
        layout = new HiveLayout(root);
    }

    private static void open(Path path) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));
    }

    private record Ran(int exit, String out) {}

    private Ran run(List<String> as, List<String> words) throws Exception {
        List<String> command = new ArrayList<>(as);
        command.addAll(words);
        Process process;
        try {
            ProcessBuilder builder =
                    new ProcessBuilder(command)
                            .directory(folder.toFile())
                            .redirectErrorStream(true);
            process = builder.start();
        } catch (IOException e) {
            return new Ran(-1, String.valueOf(e.getMessage()));
        }
        process.getOutputStream().close();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ran(process.waitFor(), out);
    }

    @Test
    void theSocketOfOneUserAnswersNoOther() throws Exception {
        try (ResidentClient client = new ResidentClient(folder.toRealPath().resolve("bin"))) {
            client.useIn(session);
            client.listen(session, layout);
            Path socket = ResidentAddress.of(layout, session.surroundings()).getFirst().socket();
            List<String> knock = List.of("perl", "-e", KNOCK, socket.toString());
            assertThat(run(List.of(), knock).out()).startsWith("H").contains("p");
            assertThat(run(AS_NOBODY, knock).out()).doesNotContain("p\0");
            // Even where somebody opened the folder and the socket to all.
            open(client.socketFolder().getParent());
            open(client.socketFolder());
            open(socket);
            Ran knocked = run(AS_NOBODY, knock);
            assertThat(knocked.exit()).as(knocked.out()).isZero();
            assertThat(knocked.out()).as("greeted, and no more").isEqualTo("H\0\0\0\0");
        }
    }

    @Test
    void theClientOfOneUserTalksToNoResidentOfAnother() throws Exception {
        Path bin = folder.toRealPath().resolve("bin");
        try (ResidentClient client = new ResidentClient(bin)) {
            client.useIn(session);
            client.listen(session, layout);
            assertThat(client.run(session, List.of("inbox", "code"), "").exit()).isZero();
            // The folder of the socket belongs to somebody else now.
            Files.setAttribute(client.socketFolder(), "unix:uid", 65_534);
            assertThat(client.run(session, List.of("inbox", "code"), "").exit())
                    .isEqualTo(ResidentClient.COLD);
            Files.setAttribute(client.socketFolder(), "unix:uid", 0);
        }
    }
}
