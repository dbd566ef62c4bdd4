package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A resident whose disk is full says so to its clients, goes on, and works again when there is
/// room. What is tried is told in [ResidentFullDiskMain].
@Timeout(300)
final class ResidentFullDiskTest {

    /// Mounts a small volume that only the process after it can see.
    private static final String IN_MOUNT =
            "mount -t tmpfs -o size=6m none \"$1\" && shift && exec \"$@\"";

    @TempDir Path folder;

    @Test
    void aFullDiskIsToldAndLosesNothing() throws Exception {
        Path mount = Files.createDirectory(folder.toRealPath().resolve("mount"));
        if (!run(mount, List.of("true")).isEmpty()) {
            throw OtherVersion.notRun("ResidentFullDiskTest", "nothing can be mounted here");
        }
        List<String> java =
                List.of(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ResidentFullDiskMain.class.getName(),
                        mount.toString(),
                        folder.toRealPath().toString());
        assertThat(run(mount, java)).contains("nothing was lost");
    }

    /// What it printed, with its exit code where that is not 0.
    private static String run(Path mount, List<String> words) throws Exception {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                "unshare",
                                "--mount",
                                "sh",
                                "-c",
                                IN_MOUNT,
                                "sh",
                                mount.toString()));
        command.addAll(words);
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int exit = process.waitFor();
        return exit == 0 ? out : out + "[" + exit + "]";
    }
}
