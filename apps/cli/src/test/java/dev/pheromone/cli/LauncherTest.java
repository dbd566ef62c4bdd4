package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The script that starts `rsm`, with a program in the place of Java that prints its arguments.
@Timeout(60)
class LauncherTest {

    @TempDir Path home;

    @BeforeEach
    void pretendABuild() throws IOException {
        Files.copy(Documents.root().resolve("rsm"), home.resolve("rsm"));
        Path ready = Files.createDirectories(home.resolve("target/rsm"));
        Path java = Files.writeString(ready.resolve("fake"), "#!/bin/sh\necho \"$@\"\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Files.writeString(ready.resolve("java"), java + "\n");
        Files.createFile(ready.resolve("stamp"));
    }

    private record Ended(int exit, String printed) {}

    private Ended run(String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("bash", home.resolve("rsm").toString()));
        command.addAll(List.of(words));
        return run(Map.of("RSM_NO_BUILD", "1"), command);
    }

    private Ended run(Map<String, String> env, List<String> command)
            throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .directory(home.toFile())
                        .redirectInput(new File("/dev/null"))
                        .redirectErrorStream(true);
        builder.environment().remove("RSM_NO_BUILD");
        builder.environment().remove("RSM_ROOT");
        builder.environment().putAll(env);
        Process process = builder.start();
        String printed =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), printed);
    }

    private String started(String... words) throws IOException, InterruptedException {
        Ended ended = run(words);
        assertThat(ended.exit()).as(ended.printed()).isZero();
        return ended.printed();
    }

    private void javaDoes(String what) throws IOException {
        Files.writeString(home.resolve("target/rsm/fake"), "#!/bin/sh\n" + what + "\n");
    }

    @Test
    void aClosedStandardInputIsAnEmptyOne() throws Exception {
        javaDoes("cat && echo the end");
        String rsm = home.resolve("rsm").toString();
        Ended ended =
                run(
                        Map.of("RSM_NO_BUILD", "1"),
                        List.of("bash", "-c", "exec bash " + rsm + " send <&-"));
        assertThat(ended.printed()).isEqualTo("the end\n");
    }

    /// Puts a build into the place of Maven's that prints what Maven would, and one sound jar.
    private void pretendSources(String maven) throws IOException {
        Files.delete(home.resolve("target/rsm/stamp"));
        Path bin = Files.createDirectories(home.resolve("jdk/bin"));
        Files.copy(home.resolve("target/rsm/fake"), bin.resolve("java"));
        assertThat(bin.resolve("java").toFile().setExecutable(true)).isTrue();
        Files.createDirectories(home.resolve(".ci"));
        Files.writeString(
                home.resolve(".ci/tools.sh"),
                "find_tools() { JAVA_HOME=$home/jdk; }\nmaven() {\n" + maven + "\n}\n");
        Files.createDirectories(home.resolve("apps/cli/target/rsm-build"));
        Files.writeString(home.resolve("apps/cli/target/rsm-build/rsm.jar"), "jar");
        Path aot = Files.createDirectories(home.resolve("apps/cli/src/main/aot"));
        Path train = Files.writeString(aot.resolve("train.sh"), "#!/bin/sh\n");
        assertThat(train.toFile().setExecutable(true)).isTrue();
    }

    private static final String TWO_MODULES =
            """
            echo '[INFO] Building Pheromone 0.2.0-SNAPSHOT           [1/3]'
            echo '[INFO] Building Pheromone core 0.2.0-SNAPSHOT      [2/3]'
            echo '[INFO] Building Pheromone file transport 0.1.0     [3/3]'
            """;

    private Ended build(String... before) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(before));
        command.add("cd / && bash " + home.resolve("rsm") + " --version");
        return run(Map.of(), command);
    }

    @Test
    void aBuildSaysAtOnceHowLongItTakesAndInTheEndHowLongItTook() throws Exception {
        pretendSources(TWO_MODULES);

        Ended ended = build("bash", "-c");

        assertThat(ended.exit()).as(ended.printed()).isZero();
        assertThat(ended.printed())
                .startsWith("rsm: building from source, which takes a minute or two\n")
                .containsPattern("\nrsm: built in \\d+ s\n")
                .doesNotContain("of 3", "\r");
        assertThat(home.resolve("target/rsm/build.log")).content().contains("core 0.2.0-SNAPSHOT");
    }

    @Test
    void onATerminalABuildShowsHowFarItIs() throws Exception {
        if (!run(Map.of(), List.of("bash", "-c", "script --version"))
                .printed()
                .contains("util-linux")) {
            throw OtherVersion.notRun("LauncherTest", "there is no script of util-linux here");
        }
        pretendSources(TWO_MODULES);

        Ended ended = build("script", "--quiet", "--return", "/dev/null", "--command");

        assertThat(ended.exit()).as(ended.printed()).isZero();
        assertThat(ended.printed())
                .contains("rsm: building core, 2 of 3, ", "rsm: building file transport, 3 of 3, ")
                .containsPattern("\nrsm: built in \\d+ s\r?\n");
    }

    @Test
    void aBuildThatFailsSaysWhy() throws Exception {
        pretendSources(TWO_MODULES + "echo '[ERROR] no such symbol'\nreturn 1");

        Ended ended = build("bash", "-c");

        assertThat(ended.exit()).isEqualTo(1);
        assertThat(ended.printed())
                .contains("rsm: error: the build failed: [ERROR] no such symbol\n", "build.log");
    }

    @Test
    void aHookWhoseJavaFailsBlocks() throws Exception {
        for (String failure : List.of("exit 1", "exit 3", "exit 134", "kill -9 $$")) {
            javaDoes(failure);

            Ended hook = run("--root", ".", "hook", "claude", "PreToolUse");

            assertThat(hook.exit()).as(failure).isEqualTo(2);
            assertThat(hook.printed())
                    .as(failure)
                    .contains(
                            "rsm: error: the hook ended with exit ", ", expected 0 or 2: blocked");
        }
        javaDoes("exit 1");
        assertThat(run("inbox", "code").exit()).isEqualTo(1);
    }

    @Test
    void aHooksOwnAnswerIsLeftAsItIs() throws Exception {
        javaDoes("cat; exit 0");
        assertThat(run("hook", "claude", "PreToolUse")).isEqualTo(new Ended(0, ""));
        javaDoes("echo reason >&2; exit 2");
        assertThat(run("hook", "claude", "PreToolUse")).isEqualTo(new Ended(2, "reason\n"));
    }

    @Test
    void aHookThatIsNotBuiltLooksForLocksWhereItIsTold() throws Exception {
        Files.delete(home.resolve("target/rsm/stamp"));
        Path hive = Files.createDirectories(home.resolve("elsewhere/repo"));
        Path sub = Files.createDirectories(hive.resolve("src"));
        assertThat(run("--root", hive.toString(), "hook", "claude", "PreToolUse"))
                .isEqualTo(new Ended(0, ""));

        Files.createDirectories(hive.resolve(".deia/do-not-read"));
        Files.writeString(hive.resolve(".deia/do-not-read/a.yaml"), "- secret.txt");

        for (List<String> words :
                List.of(
                        List.of("--root", hive.toString(), "hook", "claude", "PreToolUse"),
                        List.of("--root=" + hive, "hook", "claude", "PreToolUse"),
                        List.of("hook", "claude", "PreToolUse", "--root", "elsewhere/repo"),
                        List.of("--root", sub.toString(), "hook", "claude", "PreToolUse"))) {
            Ended hook = run(words.toArray(String[]::new));
            assertThat(hook.exit()).as("%s", words).isEqualTo(2);
            assertThat(hook.printed()).contains("there is a lock: ").hasLineCount(1);
        }
        assertThat(run("hook", "claude", "PreToolUse").exit()).isZero();
    }

    @Test
    void aWorkerIsSmallWhereverItsOptionsStand() throws Exception {
        assertThat(started("work", "code", "--", "true")).contains("-Xmx64m");
        assertThat(started("--actor", "bob", "work", "code", "--", "true")).contains("-Xmx64m");
        assertThat(started("--json", "--root", "work", "work", "code")).contains("-Xmx64m");
        assertThat(started("--actor=bob", "work", "code")).contains("-Xmx64m");
        assertThat(started("serve")).contains("-Xmx384m");
        assertThat(started("--root", ".", "up")).contains("-Xmx384m");
    }

    @Test
    void otherCommandsAreNot() throws Exception {
        assertThat(started("send", "--to", "code", "work")).doesNotContain("-Xmx64m");
        assertThat(started("--actor", "work", "inbox", "code")).doesNotContain("-Xmx64m");
        assertThat(started()).doesNotContain("-Xmx64m");
    }
}
