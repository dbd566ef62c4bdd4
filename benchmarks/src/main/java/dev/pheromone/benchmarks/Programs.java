package dev.pheromone.benchmarks;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/// The programs of this machine.
final class Programs {

    private Programs() {}

    static boolean isInstalled(String program) {
        return Pattern.compile(File.pathSeparator)
                .splitAsStream(System.getenv().getOrDefault("PATH", ""))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }
}
