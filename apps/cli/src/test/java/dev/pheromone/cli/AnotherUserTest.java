package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/// A user who meets the hive of another.
final class AnotherUserTest {

    /// The user that owns nothing, under the number that Linux has for it everywhere.
    private static final List<String> AS_NOBODY =
            List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");

    @TempDir Path folder;

    @Test
    void whoMeetsTheHiveOfAnotherUserIsToldTheWayIn() throws Exception {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path hive = Files.createDirectory(folder.resolve("hive"));
        assertThat(rsm(List.of(), hive, "init").exit()).isZero();
        Ran version = rsm(AS_NOBODY, hive, "--version");
        if (version.exit() != 0) {
            throw new TestAbortedException(
                    "AnotherUserTest can't run as another user here: " + version.output());
        }
        for (List<String> words :
                List.of(
                        List.of("inbox", "code"),
                        List.of("status"),
                        List.of("send", "--to", "code", "--actor", "bob", "hello"))) {
            Ran ran = rsm(AS_NOBODY, hive, words.toArray(String[]::new));
            assertThat(ran.exit()).as(ran.output()).isEqualTo(1);
            assertThat(ran.output())
                    .contains("permission denied")
                    .contains("rsm: hint: the hive's files are for the user who made it alone")
                    .contains("rsm serve");
        }
    }

    private record Ran(int exit, String output) {}

    private Ran rsm(List<String> as, Path hive, String... words) throws Exception {
        List<String> command = new ArrayList<>(as);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path")));
        command.add(Main.class.getName());
        command.addAll(List.of(words));
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(hive.toFile()).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("CLAUDE"));
        builder.environment().put("HOME", folder.toString());
        builder.environment().put("XDG_CONFIG_HOME", folder.resolve("config").toString());
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            return new Ran(-1, String.valueOf(e.getMessage()));
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ran(process.waitFor(), output);
    }
}
