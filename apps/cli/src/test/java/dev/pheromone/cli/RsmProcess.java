package dev.pheromone.cli;

import static org.awaitility.Awaitility.await;

import dev.pheromone.cli.frame.CommandFiles;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// `rsm` in a process of its own, with what it prints in files.
record RsmProcess(Process process, Path out, Path err) implements AutoCloseable {

    private static final int END_S_MAX = 60;

    static RsmProcess start(Path folder, String... words) throws IOException {
        Path err = Files.createTempFile(folder, "err", ".txt");
        return start(folder, ProcessBuilder.Redirect.to(err.toFile()), err, words);
    }

    /// One whose standard error is a pipe that nobody reads.
    static RsmProcess startUnread(Path folder, String... words) throws IOException {
        return start(folder, ProcessBuilder.Redirect.PIPE, folder.resolve("none"), words);
    }

    private static RsmProcess start(
            Path folder, ProcessBuilder.Redirect errors, Path err, String... words)
            throws IOException {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                ProcessHandle.current().info().command().orElseThrow(),
                                "-XX:TieredStopAtLevel=1",
                                "-XX:+UseSerialGC",
                                "-Xmx64m",
                                "-Djava.io.tmpdir="
                                        + Files.createDirectories(folder.resolve("tmp")),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Main.class.getName()));
        command.addAll(List.of(words));
        Path out = Files.createTempFile(folder, "out", ".txt");
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectOutput(out.toFile())
                        .redirectError(errors);
        builder.environment().put("HOME", folder.toString());
        builder.environment().put("RSM_ACTOR", "builder");
        return new RsmProcess(builder.start(), out, err);
    }

    String printed() throws IOException {
        return Files.readString(out);
    }

    String errors() throws IOException {
        return Files.readString(err);
    }

    /// The exit code, once it has ended.
    int exit() throws IOException, InterruptedException {
        if (!process.waitFor(END_S_MAX, TimeUnit.SECONDS)) {
            throw new AssertionError("still runs: " + printed() + errors());
        }
        return process.exitValue();
    }

    /// Processes other than ours that were started for an envelope of the hive at `root`.
    static List<ProcessHandle> commandsOf(Path root) {
        return ProcessHandle.allProcesses()
                .filter(handle ->
                        CommandFiles.environment(handle).contains("RSM_ROOT=" + root)
                                && CommandFiles.environment(handle).stream()
                                        .anyMatch(set -> set.startsWith("RSM_CLAIM=")))
                .toList();
    }

    static void awaitFile(Path file) {
        await().atMost(Duration.ofSeconds(END_S_MAX)).until(() -> Files.exists(file));
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
