package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.disk.HiveLayout;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/// Beside a resident process that is stopped, and so says nothing, no command hangs.
@Timeout(300)
final class ResidentStoppedTest {

    @TempDir Path folder;

    @Test
    void commandsNameTheProcessInsteadOfWaitingForIt() throws Exception {
        Path root = Files.createDirectory(folder.toRealPath().resolve("repo"));
        Session session = new Session(root);
        session.env.put("RSM_ACTOR", "builder");
        try (ResidentClient client = new ResidentClient(folder.toRealPath().resolve("bin"))) {
            client.useIn(session);
            assertThat(session.rsm("init").exit()).isZero();
            Process up = client.startUp(session, new HiveLayout(root));
            try {
                signal("STOP", up);
                Session.Result status = session.rsm("status");
                assertThat(status.exit()).isZero();
                assertThat(status.out()).contains("process " + up.pid() + " does not answer");
                assertThat(
                                new AnswerSchemas()
                                        .problems("status", session.rsm("status", "--json").out()))
                        .isEmpty();
                for (String[] words : new String[][] {{"down"}, {"up", "--detach"}}) {
                    Session.Result refused = session.rsm(words);
                    assertThat(refused.exit()).isEqualTo(1);
                    assertThat(refused.err())
                            .contains("process " + up.pid() + " does not answer")
                            .contains("kill -9 " + up.pid());
                }
                signal("CONT", up);
                assertThat(session.rsm("down").exit()).isZero();
                assertThat(up.waitFor()).isZero();
            } finally {
                up.destroyForcibly();
            }
        }
    }

    @Test
    void oneWhoseProgramWasReplacedEndsSoThatItsServiceStartsItAgain() throws Exception {
        Path root = Files.createDirectory(folder.toRealPath().resolve("repo"));
        Session session = new Session(root);
        try (ResidentClient client = new ResidentClient(folder.toRealPath().resolve("bin"))) {
            client.useIn(session);
            assertThat(session.rsm("init").exit()).isZero();
            Process up = client.startUp(session, new HiveLayout(root));
            try {
                Path jar = client.launcher.resolveSibling("target/rsm/rsm.jar");
                Path fresh = Files.writeString(jar.resolveSibling("new"), "another build");
                Files.move(fresh, jar, StandardCopyOption.REPLACE_EXISTING);
                assertThat(up.waitFor()).isEqualTo(1);
                assertThat(client.launcher.resolveSibling("up.log"))
                        .content()
                        .contains("the program was changed");
            } finally {
                up.destroyForcibly();
            }
        }
    }

    @Test
    void oneThatEndsAtOnceIsNotWaitedFor() throws Exception {
        Path root = Files.createDirectory(folder.toRealPath().resolve("repo"));
        Session session = new Session(root);
        try (ResidentClient client = new ResidentClient(folder.toRealPath().resolve("bin"))) {
            client.useIn(session);
            assertThat(session.rsm("init").exit()).isZero();
            // The stand-in for the launcher says that it was called, and ends.
            long before = System.nanoTime();
            Session.Result detached = session.rsm("up", "--detach");
            assertThat(detached.exit()).isEqualTo(1);
            assertThat(detached.err()).contains("ended at once: cold");
            assertThat(System.nanoTime() - before).isLessThan(60_000_000_000L);
        }
    }

    private static void signal(String name, Process to) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, "" + to.pid()).start().waitFor())
                .isZero();
    }
}
