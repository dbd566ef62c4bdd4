package dev.pheromone.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Map;

/// The promises of `./rsm`, each with the real script.
class LauncherTest {
    private static Path program;
    @TempDir Path folder;
    private Checkout checkout;

    @BeforeAll
    static void makeProgram(@TempDir Path shared) throws IOException {
        program = Checkout.makeProgram(shared);
    }

    @BeforeEach
    void makeCheckout() throws IOException {
        checkout = new Checkout(folder, program);
    }

    @Test
    void buildsOnFirstUseAndIsQuietAfterwards() throws IOException {
        var first = checkout.run("one");
        assertThat(first.out()).isEqualTo("[one]\ninput\n");
        assertThat(first.err())
                .startsWith("rsm: building from source, which takes a minute or two\n")
                .contains("rsm: preparing a fast start, some seconds more\n", "rsm: built in");

        assertThat(checkout.run("two")).isEqualTo(new Checkout.Outcome(0, "[two]\ninput\n", ""));
        assertThat(checkout.buildCount()).isOne();
    }

    @Test
    void showsOnATerminalHowFarTheBuildIs() throws IOException {
        checkout.mavenSays(
                """
                echo '[INFO] Building Pheromone file transport 0.2.0-SNAPSHOT           [6/17]'
                cp '%s' apps/cli/target/rsm-build/rsm.jar\
                """
                        .formatted(program));

        var outcome = checkout.runAtTerminal("one");

        assertThat(outcome.out())
                .contains("\r\u001b[Krsm: building file transport, 6 of 17, ")
                .containsSubsequence("6 of 17", "\r\u001b[Krsm: preparing", "rsm: built in");
    }

    @Test
    void makesAStartUpCacheAndUsesIt() throws IOException {
        checkout.withTraining().run();
        var shown = Map.of("RSM_JAVA_OPTS", "-Xlog:class+load:file=" + folder.resolve("loaded"));

        assertThat(checkout.run(shown, checkout.home.resolve("rsm")).err()).isEmpty();
        assertThat(folder.resolve("loaded"))
                .content()
                .containsPattern("dev.pheromone.cli.Main source: shared objects file");
    }

    @Test
    void handsOverArgumentsAndExitCodeAsTheyAre() throws IOException {
        checkout.run();

        assertThat(checkout.run("fail", "a  b", "", "*", "$HOME", "c\nd"))
                .isEqualTo(new Checkout.Outcome(7, "[fail, a  b, , *, $HOME, c\nd]\ninput\n", ""));
    }

    @Test
    void understandsEveryLetterInThePlainLocale() throws IOException {
        checkout.run();

        assertThat(checkout.run(Map.of("LC_ALL", "C"), checkout.home.resolve("rsm"), "grüße").out())
                .startsWith("[grüße]\n");
    }

    @Test
    void worksThroughAChainOfLinks() throws IOException {
        Path bin = Files.createDirectories(folder.resolve("user bin"));
        Files.createSymbolicLink(bin.resolve("absolute"), checkout.home.resolve("rsm"));
        Files.createSymbolicLink(bin.resolve("rsm"), Path.of("../user bin/absolute"));

        assertThat(checkout.run(Map.of(), bin.resolve("rsm"), "x").out()).startsWith("[x]\n");
        assertThat(checkout.home.resolve("target/rsm/rsm.jar")).exists();
    }

    @Test
    void rebuildsWhenASourceChanged() throws IOException {
        checkout.run();
        checkout.touch(checkout.source());

        assertThat(checkout.run().err()).contains("building");
        assertThat(checkout.buildCount()).isEqualTo(2);
    }

    @Test
    void rebuildsWhenASourceIsGone() throws IOException {
        checkout.run();
        Files.delete(checkout.source());

        assertThat(checkout.run().err()).contains("building");
    }

    @Test
    void severalFirstUsesAtOnceBuildOnce() throws IOException {
        var running = new ArrayList<Checkout.Running>();
        for (int i = 0; i < 4; i++) {
            running.add(checkout.start(Map.of(), checkout.home.resolve("rsm"), "x"));
        }

        for (var launcher : running) {
            assertThat(launcher.outcome().out()).isEqualTo("[x]\ninput\n");
        }
        assertThat(checkout.buildCount()).isOne();
    }

    @Test
    void saysWhereTheLogOfAFailedBuildIs() throws IOException {
        checkout.mavenSays("echo '[ERROR] no such symbol'; exit 1");

        var outcome = checkout.run();

        assertThat(outcome.exit()).isOne();
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err())
                .contains("rsm: error: the build failed: [ERROR] no such symbol\n")
                .contains("rsm: hint: the whole log is in")
                .endsWith("target/rsm/build.log\n");
    }

    @Test
    void neverBuildsWhenToldNotTo() throws IOException {
        var noBuild = Map.of("RSM_NO_BUILD", "1");
        Path launcher = checkout.home.resolve("rsm");

        var notReady = checkout.run(noBuild, launcher);
        assertThat(notReady.exit()).isEqualTo(2);
        assertThat(notReady.out()).isEmpty();
        assertThat(notReady.err()).startsWith("rsm: error: rsm is not built yet\n");

        checkout.run();
        checkout.touch(checkout.source());
        assertThat(checkout.run(noBuild, launcher, "old"))
                .isEqualTo(new Checkout.Outcome(0, "[old]\ninput\n", ""));
        assertThat(checkout.buildCount()).isOne();
    }

    @Test
    void hookThatIsNotReadyBlocksOnlyWhereThereIsALock() throws IOException {
        Path launcher = checkout.home.resolve("rsm");
        Path hive = folder.resolve("hive");
        Files.createDirectories(hive.resolve(".deia/do-not-read"));
        var there = Map.of("RSM_ROOT", hive.toString());
        assertThat(checkout.run(there, launcher, "hook", "claude", "PreToolUse"))
                .isEqualTo(new Checkout.Outcome(0, "", ""));

        Files.writeString(hive.resolve(".deia/do-not-read/a.yaml"), "- secret.txt");
        var blocked = checkout.run(there, launcher, "hook", "claude", "PreToolUse");
        assertThat(blocked.exit()).isEqualTo(2);
        assertThat(blocked.out()).isEmpty();
        assertThat(blocked.err())
                .startsWith("rsm: error: rsm is not built yet, and there is a lock: ")
                .contains("do-not-read/a.yaml")
                .hasLineCount(1);
        assertThat(checkout.buildCount()).isZero();
    }

    @Test
    void keepsTheJvmFromTalking() throws IOException {
        checkout.run();
        Files.writeString(checkout.home.resolve("target/rsm/rsm.aot"), "not a start-up cache");
        var options = Map.of("JAVA_TOOL_OPTIONS", "-Da=b", "JDK_JAVA_OPTIONS", "-Dc=d");

        assertThat(checkout.run(options, checkout.home.resolve("rsm"), "x"))
                .isEqualTo(new Checkout.Outcome(0, "[x]\ninput\n", ""));
    }
}
