package dev.pheromone.cli;

import static org.awaitility.Awaitility.await;

import dev.pheromone.cli.args.CommandLine;
import dev.pheromone.cli.frame.EverywhereOptions;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Output;
import dev.pheromone.cli.frame.Program;
import dev.pheromone.cli.frame.UserFiles;
import dev.pheromone.cli.resident.Endpoint;
import dev.pheromone.cli.resident.Resident;
import dev.pheromone.cli.serve.UpCommand;
import dev.pheromone.disk.HiveLayout;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// The real client, for a resident in this process. In the place of the launcher lies a script that
/// only says that it was called: so a test sees which way a command went.
final class ResidentClient implements AutoCloseable {

    /// How the stand-in for the launcher ends.
    static final int COLD = 99;

    private static final int END_S_MAX = 60;

    /// Which of the clients.
    enum Kind {
        C,
        PERL
    }

    private static @Nullable Path compiled;

    final Path launcher;
    private final Kind kind;
    private final Path runtime;
    private @Nullable Endpoint endpoint;

    /// The client in C.
    ///
    /// @param folder where the launcher is to lie
    ResidentClient(Path folder) throws IOException, InterruptedException {
        this(Kind.C, folder);
    }

    ResidentClient(Kind kind, Path folder) throws IOException, InterruptedException {
        this.kind = kind;
        Path ready = Files.createDirectories(folder.resolve("target/rsm"));
        this.launcher = folder.resolve("rsm");
        // Its path has to be short enough for a socket.
        this.runtime = Files.createTempDirectory("rsm");
        Files.writeString(launcher, "#!/bin/sh\necho \"cold $RSM_COLD: $*\"\nexit " + COLD + "\n");
        if (!launcher.toFile().setExecutable(true)) {
            throw new IOException("can't make " + launcher + " executable");
        }
        Files.writeString(ready.resolve("rsm.jar"), "stands for a build");
        Files.createFile(ready.resolve("stamp"));
        if (kind == Kind.C) {
            Files.copy(client(), ready.resolve("rsm-client"));
            if (!ready.resolve("rsm-client").toFile().setExecutable(true)) {
                throw new IOException("can't make the client executable");
            }
        }
    }

    /// The client, compiled once.
    private static synchronized Path client() throws IOException, InterruptedException {
        Path done = compiled;
        if (done == null) {
            done = Files.createTempDirectory("rsm-client").resolve("rsm-client");
            Path source = Documents.root().resolve("apps/cli/src/main/c/rsm-client.c");
            Process compiler;
            try {
                compiler =
                        new ProcessBuilder(
                                        "cc",
                                        "-Wall",
                                        "-Wextra",
                                        "-Werror",
                                        "-o",
                                        done.toString(),
                                        source.toString())
                                .redirectErrorStream(true)
                                .start();
            } catch (IOException e) {
                throw OtherVersion.notRun("the client in C", "there is no cc here");
            }
            String said =
                    new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (compiler.waitFor() != 0) {
                throw new AssertionError("the client does not compile: " + said);
            }
            compiled = done;
        }
        return done;
    }

    /// Where `XDG_RUNTIME_DIR` leads for `session` from now on, with this launcher.
    void useIn(Session session) {
        session.launcher = launcher;
        session.env.put("XDG_RUNTIME_DIR", runtime.toString());
    }

    Path socketFolder() {
        return runtime.resolve("pheromone");
    }

    /// Lets this process answer for the hive at `layout`, with the clock of `session`.
    void listen(Session session, HiveLayout layout) throws IOException {
        endpoint = Endpoint.start(call(session), layout, 0, _ -> {}).orElseThrow();
    }

    void stopListening() throws IOException {
        Endpoint open = endpoint;
        endpoint = null;
        if (open != null) {
            open.close();
        }
    }

    /// Starts `rsm up` in a process of its own, with the launcher's options for it, and returns
    /// once it answers. What it prints goes to the file `up.log` beside the launcher.
    Process startUp(Session session, HiveLayout layout) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(
                                ProcessHandle.current().info().command().orElseThrow(),
                                "-XX:+UseSerialGC",
                                "-Xms16m",
                                "-Xmx384m",
                                "-XX:CompileThresholdScaling=0.1",
                                "-Drsm.launcher=" + launcher,
                                "-cp",
                                System.getProperty("java.class.path"),
                                Main.class.getName(),
                                "up")
                        .directory(session.cwd.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(launcher.resolveSibling("up.log").toFile());
        builder.environment().clear();
        builder.environment().putAll(session.env);
        builder.environment().put("HOME", session.home.toString());
        Process up = builder.start();
        await().atMost(Duration.ofSeconds(END_S_MAX))
                .until(() ->
                        !up.isAlive() || Resident.of(layout, session.surroundings()).isPresent());
        if (!up.isAlive()) {
            throw new AssertionError(Files.readString(launcher.resolveSibling("up.log")));
        }
        return up;
    }

    boolean isListening() {
        return endpoint != null;
    }

    static Invocation call(Session session) {
        return call(session, Rsm.PROGRAM);
    }

    static Invocation call(Session session, Program program) {
        CommandLine line = new CommandLine(List.of("up"));
        return new Invocation(
                line,
                new UpCommand().spec(),
                EverywhereOptions.parser().parse(line, 0, new UpCommand().spec()),
                session.surroundings(),
                new Output(OutputStream.nullOutputStream()),
                new Output(OutputStream.nullOutputStream()),
                program);
    }

    /// What the client does with `words`, in a process of its own.
    Session.Result run(Session session, List<String> words, String input)
            throws IOException, InterruptedException {
        return run(List.of(), session, words, input);
    }

    /// The same, started by another program.
    Session.Result run(List<String> by, Session session, List<String> words, String input)
            throws IOException, InterruptedException {
        Process process = start(by, session, words);
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Thread errors =
                Thread.ofVirtual()
                        .start(() -> {
                            try {
                                process.getErrorStream().transferTo(err);
                            } catch (IOException e) {
                                // The process has ended.
                            }
                        });
        Thread _ =
                Thread.ofVirtual()
                        .start(() -> {
                            try (OutputStream stdin = process.getOutputStream()) {
                                stdin.write(input.getBytes(StandardCharsets.UTF_8));
                            } catch (IOException e) {
                                // The command did not ask for its input.
                            }
                        });
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        errors.join();
        if (!process.waitFor(END_S_MAX, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("the client hangs: " + words);
        }
        return new Session.Result(process.exitValue(), out, err.toString(StandardCharsets.UTF_8));
    }

    Process start(Session session, List<String> words) throws IOException {
        return start(List.of(), session, words);
    }

    /// The command line that hands `words` over.
    List<String> command(List<String> words) {
        List<String> command = new ArrayList<>();
        switch (kind) {
            case C -> command.add(launcher.resolveSibling("target/rsm/rsm-client").toString());
            case PERL -> {
                command.add("perl");
                command.add(
                        Documents.root()
                                .resolve("apps/cli/src/main/perl/rsm-client.pl")
                                .toString());
            }
        }
        command.add(launcher.toString());
        command.add(launcher.resolveSibling("target/rsm/rsm.jar").toString());
        command.add(verb(words).orElse("-"));
        command.addAll(words);
        return command;
    }

    Process start(List<String> by, Session session, List<String> words) throws IOException {
        List<String> command = new ArrayList<>(by);
        command.addAll(command(words));
        ProcessBuilder builder = new ProcessBuilder(command).directory(session.cwd.toFile());
        Map<String, String> env = builder.environment();
        env.clear();
        env.putAll(session.env);
        return builder.start();
    }

    /// From now on the launcher runs the program, in a process of its own.
    void makeLauncherReal() throws IOException {
        Files.writeString(
                launcher,
                "#!/bin/sh\nexec '"
                        + ProcessHandle.current().info().command().orElseThrow()
                        + "' -cp '"
                        + System.getProperty("java.class.path")
                        + "' "
                        + Main.class.getName()
                        + " \"$@\"\n");
    }

    private static Optional<String> verb(List<String> words) {
        return words.stream().filter(word -> !word.startsWith("-")).findFirst();
    }

    @Override
    public void close() throws IOException {
        stopListening();
        new UserFiles(new Session(runtime).surroundings()).removeTemporary(runtime);
    }
}
