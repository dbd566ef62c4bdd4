package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

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

    private String started(String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("bash", home.resolve("rsm").toString()));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("RSM_NO_BUILD", "1");
        Process process = builder.start();
        String printed =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(printed).isZero();
        return printed;
    }

    @Test
    void aWorkerIsSmallWhereverItsOptionsStand() throws Exception {
        assertThat(started("work", "code", "--", "true")).contains("-Xmx64m");
        assertThat(started("--actor", "bob", "work", "code", "--", "true")).contains("-Xmx64m");
        assertThat(started("--json", "--root", "work", "work", "code")).contains("-Xmx64m");
        assertThat(started("--actor=bob", "work", "code")).contains("-Xmx64m");
    }

    @Test
    void otherCommandsAreNot() throws Exception {
        assertThat(started("send", "--to", "code", "work")).doesNotContain("-Xmx64m");
        assertThat(started("--actor", "work", "inbox", "code")).doesNotContain("-Xmx64m");
        assertThat(started()).doesNotContain("-Xmx64m");
    }
}
