package dev.pheromone.tidy;

import org.opentest4j.TestAbortedException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;

/// A small checkout with the real launcher, whose Maven is a script: it counts its calls and
/// "builds" a jar with a program that shows its arguments and its input.
final class Checkout {
    private static final long RUN_S_MAX = 60;
    private static final String TRAINING = "apps/cli/src/main/aot/train.sh";
    private static final String PROGRAM =
            """
            package dev.pheromone.cli;
            public class Main {
                public static void main(String[] args) throws java.io.IOException {
                    System.out.println(java.util.List.of(args));
                    System.in.transferTo(System.out);
                    System.out.flush();
                    System.exit(args.length > 0 && args[0].equals("fail") ? 7 : 0);
                }
            }
            """;

    private static final Path PYTHON = Path.of("python3");

    /// Gives what the arguments name a terminal, and prints what is written there.
    private static final String AT_TERMINAL =
            "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)";

    /// At a terminal nobody ends the input.
    private static final String WITHOUT_INPUT = "exec \"$0\" \"$@\" </dev/null";

    /// What a process left behind.
    record Outcome(int exit, String out, String err) {}

    final Path home;
    private final Path tools;
    private int runs;

    Checkout(Path folder, Path program) throws IOException {
        home = folder.resolve("a checkout");
        tools = folder.resolve("tools");
        for (String file : List.of("rsm", ".ci/tools.sh")) {
            copyOfReal(file);
        }
        // Training takes seconds; only the test that is about it needs the real script.
        writeScript(home.resolve(TRAINING), "#!/bin/sh\n");
        write(home.resolve("pom.xml"), "<project/>");
        write(source(), "class Lane {}");
        mavenSays("cp '%s' apps/cli/target/rsm-build/rsm.jar".formatted(program));
    }

    Checkout withTraining() throws IOException {
        Files.delete(home.resolve(TRAINING));
        copyOfReal(TRAINING);
        return this;
    }

    private void copyOfReal(String file) throws IOException {
        Path copy = home.resolve(file);
        Files.createDirectories(copy.getParent());
        Files.copy(Repository.rootOfThisBuild().resolve(file), copy);
    }

    /// A source of the program.
    Path source() {
        return home.resolve("core/src/main/java/Lane.java");
    }

    /// Replaces what Maven does.
    void mavenSays(String script) throws IOException {
        writeScript(
                tools.resolve("mvn"),
                """
                #!/bin/sh
                echo "$@" >>'%s'
                mkdir -p apps/cli/target/rsm-build
                %s
                """
                        .formatted(tools.resolve("calls"), script));
    }

    long buildCount() throws IOException {
        Path calls = tools.resolve("calls");
        return Files.exists(calls) ? Files.readAllLines(calls).size() : 0;
    }

    Outcome run(String... arguments) throws IOException {
        return run(Map.of(), home.resolve("rsm"), arguments);
    }

    Outcome run(Map<String, String> environment, Path launcher, String... arguments)
            throws IOException {
        return start(environment, launcher, arguments).outcome();
    }

    /// Runs the launcher where its output and errors go to a terminal, both into `out`.
    Outcome runAtTerminal(String... arguments) throws IOException {
        var words = new ArrayList<String>(List.of("-c", AT_TERMINAL, "sh", "-c", WITHOUT_INPUT));
        words.add(home.resolve("rsm").toString());
        words.addAll(List.of(arguments));
        if (!hasTerminals()) {
            throw new TestAbortedException("LauncherTest has no terminal here: no python3 or pty");
        }
        return run(Map.of(), PYTHON, words.toArray(String[]::new));
    }

    private boolean hasTerminals() {
        try {
            return run(Map.of(), PYTHON, "-c", "import pty").exit() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    /// A launcher that runs; its input is one line.
    record Running(Process process, Path out, Path err) {
        Outcome outcome() throws IOException {
            try {
                if (!process.waitFor(RUN_S_MAX, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                    throw new AssertionError("still runs after " + RUN_S_MAX + " s");
                }
                return new Outcome(
                        process.exitValue(), Files.readString(out), Files.readString(err));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    Running start(Map<String, String> environment, Path launcher, String... arguments)
            throws IOException {
        var command = new ArrayList<String>(List.of(launcher.toString()));
        command.addAll(List.of(arguments));
        runs++;
        Path in = write(tools.resolve("in"), "input\n");
        Path out = tools.resolve("out" + runs);
        Path err = tools.resolve("err" + runs);
        var builder =
                new ProcessBuilder(command)
                        .directory(tools.toFile())
                        .redirectInput(in.toFile())
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile());
        builder.environment().remove("RSM_NO_BUILD");
        // No resident process of this machine's users answers in the place of the checkout.
        builder.environment().remove("XDG_RUNTIME_DIR");
        builder.environment().put("HOME", tools.toString());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().merge("PATH", tools.toString(), (path, first) -> first + ":" + path);
        builder.environment().putAll(environment);
        return new Running(builder.start(), out, err);
    }

    /// Makes a source newer than whatever was built before.
    void touch(Path file) throws IOException {
        FileTime later = FileTime.fromMillis(System.currentTimeMillis() + 10_000);
        Files.setLastModifiedTime(file, later);
    }

    /// Compiles the program into a jar in this folder.
    static Path makeProgram(Path folder) throws IOException {
        Path source = write(folder.resolve("Main.java"), PROGRAM);
        Path classes = Files.createDirectories(folder.resolve("classes"));
        run("javac", "-d", classes, source);
        Path jar = folder.resolve("rsm.jar");
        run("jar", "-c", "-f", jar, "-e", "dev.pheromone.cli.Main", "-C", classes, ".");
        return jar;
    }

    private static void run(String tool, Object... arguments) {
        var words = List.of(arguments).stream().map(Object::toString).toArray(String[]::new);
        int exit = ToolProvider.findFirst(tool).orElseThrow().run(System.out, System.err, words);
        if (exit != 0) {
            throw new AssertionError(tool + " ended with " + exit);
        }
    }

    private static void writeScript(Path file, String text) throws IOException {
        Files.setPosixFilePermissions(
                write(file, text), PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static Path write(Path file, String text) {
        try {
            Files.createDirectories(file.getParent());
            return Files.writeString(file, text, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
