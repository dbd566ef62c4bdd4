package dev.pheromone.benchmarks;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Commands as people and scripts run them, in one folder.
///
/// @param input what each reads
record Commands(Path folder, Path input) {

    Commands(Path folder) {
        this(folder, Path.of("/dev/null"));
    }

    Commands reading(Path file) {
        return new Commands(folder, file);
    }

    /// The nanoseconds from starting the process to its end.
    double time(List<String> command) throws IOException, InterruptedException {
        Path errors = Files.createTempFile(folder, "stderr", "");
        long began = System.nanoTime();
        Process process =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectInput(Redirect.from(input.toFile()))
                        .redirectOutput(Redirect.DISCARD)
                        .redirectError(errors.toFile())
                        .start();
        int status = process.waitFor();
        double time = System.nanoTime() - began;
        if (status != 0) {
            throw new IOException(
                    "%s: exit %d: %s"
                            .formatted(
                                    String.join(" ", command),
                                    status,
                                    Files.readString(errors).strip()));
        }
        Files.delete(errors);
        return time;
    }
}
