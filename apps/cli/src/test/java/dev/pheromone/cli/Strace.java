package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.opentest4j.TestAbortedException;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Runs a main class of these tests in a process of its own, with everything that the process and
/// its children do to files written down by the kernel: no file access of any kind goes unseen.
final class Strace {

    /// Calls with a path, and those with an open file that read, write or list it.
    private static final String CALLS =
            "trace=%file,read,readv,pread64,preadv,preadv2,write,writev,pwrite64,pwritev,pwritev2,"
                    + "getdents,getdents64,ftruncate,fallocate,sendfile,splice,copy_file_range,"
                    + "fchmod,fchown,fsetxattr,flock,fsync,fdatasync,sync_file_range";

    private static final long PATIENCE_MINUTES = 10;

    private final Path trace;

    private Strace(Path trace) {
        this.trace = trace;
    }

    /// Runs `main` to its end. A test that needs it counts as not run, by name, where there is no
    /// strace or it may not trace; on a build server that is a failure.
    static Strace run(String test, Path folder, Class<?> main, String... arguments)
            throws IOException, InterruptedException {
        Path trace = folder.resolve("trace");
        List<String> strace =
                List.of(
                        "strace",
                        "-f",
                        "--seccomp-bpf",
                        // Paths beside the numbers of open files; no content.
                        "-y",
                        "-s0",
                        "-qq",
                        "-e",
                        "signal=none",
                        "-e",
                        CALLS,
                        "-o",
                        trace.toString());
        refuseWithout(test, folder, strace);
        List<String> command = new ArrayList<>(strace);
        command.add(ProcessHandle.current().info().command().orElseThrow());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"));
        command.addAll(List.of("-XX:-UsePerfData", "-cp", System.getProperty("java.class.path")));
        command.add(main.getName());
        command.addAll(List.of(arguments));
        File output = folder.resolve("output").toFile();
        Process process = start(command, output);
        boolean ended = process.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES);
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        String told = Files.readString(output.toPath(), StandardCharsets.UTF_8);
        assertThat(ended).as("it ended within %d minutes; %s", PATIENCE_MINUTES, told).isTrue();
        assertThat(process.exitValue()).as(told).isZero();
        System.out.print(told);
        return new Strace(trace);
    }

    private static Process start(List<String> command, File output) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.redirectErrorStream(true).redirectOutput(output);
        Process process = builder.start();
        process.getOutputStream().close();
        return process;
    }

    private static void refuseWithout(String test, Path folder, List<String> strace)
            throws InterruptedException {
        List<String> command = new ArrayList<>(strace);
        command.add("true");
        String reason;
        try {
            Path output = folder.resolve("probe");
            if (start(command, output.toFile()).waitFor() == 0) {
                return;
            }
            reason = Files.readString(output, StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            reason = String.valueOf(e.getMessage());
        }
        String line = "NOT RUN: " + test + ": needs strace 5.3 or newer: " + reason;
        System.out.println(line);
        if ("true".equals(System.getenv("CI"))) {
            throw new AssertionError(line);
        }
        throw new TestAbortedException(line);
    }

    /// The lines of the trace, as they came.
    BufferedReader lines() throws IOException {
        return Files.newBufferedReader(trace, StandardCharsets.ISO_8859_1);
    }
}
