package dev.pheromone.cli;

import org.opentest4j.TestAbortedException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/// A version of the program in processes of its own: the one under test, or an earlier one that is
/// built from the repository's history.
final class OtherVersion {

    /// What one command left behind.
    record Ended(int exit, String out, String err) {}

    private static final int BUILD_MIN_MAX = 20;
    private static final int COMMAND_S_MAX = 120;

    private final String name;
    private final List<String> program;

    private OtherVersion(String name, List<String> program) {
        this.name = name;
        this.program = List.copyOf(program);
    }

    /// The version under test.
    static OtherVersion current() {
        return new OtherVersion(
                "this version",
                List.of(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName()));
    }

    /// The version whose commit is in the file of that name among the tests' resources. Where the
    /// history does not have it, `test` counts as not run, by name.
    static OtherVersion built(String version, String test) throws IOException {
        String commit = commit(version);
        Path root = Documents.root();
        Map<String, String> env = System.getenv();
        if (run(root, env, List.of("git", "cat-file", "-e", commit + "^{commit}"), COMMAND_S_MAX)
                        .exit()
                != 0) {
            throw notRun(
                    test,
                    "the history here does not have commit "
                            + commit
                            + " of version "
                            + version
                            + " (a source archive, or a shallow clone)");
        }
        // Kept for the next run: its launcher knows that it is built.
        Path folder = Files.createDirectories(root.resolve("target/versions/" + commit));
        Path launcher = folder.resolve("rsm");
        if (!Files.exists(launcher)) {
            expectZero(
                    run(
                            root,
                            env,
                            List.of(
                                    "bash",
                                    "-c",
                                    "set -o pipefail; git archive \"$1\" | tar -x -C \"$2\"",
                                    "archive",
                                    commit,
                                    folder.toString()),
                            COMMAND_S_MAX));
        }
        expectZero(run(folder, env, List.of(launcher.toString(), "--version"), BUILD_MIN_MAX * 60));
        return new OtherVersion("version " + version, List.of(launcher.toString()));
    }

    static TestAbortedException notRun(String test, String why) {
        String line = "NOT RUN: " + test + ": " + why;
        System.out.println(line);
        return new TestAbortedException(line);
    }

    private static String commit(String version) throws IOException {
        try (var file = OtherVersion.class.getResourceAsStream("/versions/" + version)) {
            return new String(
                            Objects.requireNonNull(file, version).readAllBytes(),
                            StandardCharsets.UTF_8)
                    .strip();
        }
    }

    private static void expectZero(Ended ended) {
        if (ended.exit() != 0) {
            throw new AssertionError("ended with exit " + ended.exit() + ": " + ended);
        }
    }

    /// Runs one command as `actor` in the hive at `folder`.
    Ended rsm(Path folder, String actor, List<String> words) throws IOException {
        List<String> command = new ArrayList<>(program);
        command.addAll(words);
        Path home = Files.createDirectories(folder.resolve("home"));
        Map<String, String> env =
                Map.of(
                        "PATH",
                        System.getenv("PATH"),
                        "HOME",
                        home.toString(),
                        "LC_ALL",
                        "C.UTF-8",
                        "RSM_NO_BUILD",
                        "1",
                        "RSM_ACTOR",
                        actor);
        return run(folder, env, command, COMMAND_S_MAX);
    }

    private static Ended run(
            Path folder, Map<String, String> env, List<String> command, int seconds)
            throws IOException {
        Path out = Files.createTempFile("rsm-out", ".txt");
        Path err = Files.createTempFile("rsm-err", ".txt");
        try {
            ProcessBuilder builder =
                    new ProcessBuilder(command)
                            .directory(folder.toFile())
                            .redirectInput(
                                    ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                            .redirectOutput(out.toFile())
                            .redirectError(err.toFile());
            builder.environment().keySet().retainAll(env.keySet());
            builder.environment().putAll(env);
            Process process = builder.start();
            if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError(command + " still runs after " + seconds + " s");
            }
            return new Ended(process.exitValue(), Files.readString(out), Files.readString(err));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted in " + command, e);
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
