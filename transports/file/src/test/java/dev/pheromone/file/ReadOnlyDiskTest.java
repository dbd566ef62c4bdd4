package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.disk.ChildJvm;
import dev.pheromone.disk.NotRun;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A hive on a real read-only file system: looking works, and whoever wants to write is told why
/// not. What is tried there is told in `ReadOnlyDiskMain`.
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class ReadOnlyDiskTest {

    /// Mounts `$1`, runs the rest there to prepare a hive, and again when nobody can write any
    /// more.
    private static final String IN_MOUNT =
            "mount -t tmpfs -o size=6m none \"$1\" && m=$1 && shift && \"$@\" prepare"
                    + " && mount -o remount,ro \"$m\" && exec \"$@\" read";

    @TempDir Path folder;

    @Test
    void whatIsThereCanBeReadAndWhoWritesIsToldWhyNot() throws Exception {
        Path mount = Files.createDirectory(folder.resolve("mount"));
        List<String> inMount =
                List.of("unshare", "--mount", "sh", "-c", IN_MOUNT, "sh", mount.toString());
        List<String> nothing = new ArrayList<>(inMount);
        nothing.add("true");
        if (run(new ProcessBuilder(nothing)) != 0) {
            throw NotRun.because("ReadOnlyDiskTest", "no mount: " + output().strip());
        }
        ChildJvm child = new ChildJvm(inMount, ChildJvm.plain().classPath());
        int exit = run(child.of(ReadOnlyDiskMain.class, mount.toString()));
        assertThat(exit).as(output()).isZero();
    }

    private int run(ProcessBuilder builder) throws Exception {
        try {
            return builder.directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("output").toFile())
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw NotRun.because("ReadOnlyDiskTest", String.valueOf(e.getMessage()));
        }
    }

    private String output() throws IOException {
        return Files.readString(folder.resolve("output"));
    }
}
