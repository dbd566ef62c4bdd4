package dev.pheromone.file;

import dev.pheromone.address.Lane;
import dev.pheromone.disk.Disk;
import dev.pheromone.file.setup.HiveSetup;
import dev.pheromone.lock.LockFiles;

import org.opentest4j.TestAbortedException;
import org.snakeyaml.engine.v2.api.LoadSettings;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// Does things in a process of a user whom permissions bind. Root's own tests would prove nothing:
/// nothing is forbidden to root.
public final class PlainUser {

    private static final String NOBODY = "65534";

    private PlainUser() {}

    /// What the process printed for `verb` in `folder`. A test that needs it counts as not run
    /// where no other user can be had.
    public static List<String> run(Path scratch, String verb, Path folder) throws IOException {
        List<String> command = new ArrayList<>();
        if ((Integer) Files.getAttribute(scratch, "unix:uid") == 0) {
            command.addAll(List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY));
            command.add("--clear-groups");
        }
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        command.addAll(List.of(java, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"));
        command.add(readableClassPath(scratch));
        command.addAll(List.of(PlainUserMain.class.getName(), verb, folder.toString()));
        List<String> lines = output(command);
        if (!lines.contains(PlainUserMain.STARTED)) {
            throw new TestAbortedException("can't run as another user here: " + lines);
        }
        return lines.subList(lines.indexOf(PlainUserMain.STARTED) + 1, lines.size());
    }

    private static List<String> output(List<String> command) throws IOException {
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new TestAbortedException("can't run as another user here: " + e.getMessage());
        }
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
    }

    /// Copies our classes to where everybody can read them.
    private static String readableClassPath(Path scratch) throws IOException {
        List<Class<?>> parts =
                List.of(
                        PlainUserMain.class,
                        HiveSetup.class,
                        LockFiles.class,
                        Disk.class,
                        Lane.class,
                        LoadSettings.class);
        Files.setPosixFilePermissions(scratch, PosixFilePermissions.fromString("rwxr-xr-x"));
        List<String> entries = new ArrayList<>();
        for (Class<?> part : parts) {
            Path copy = scratch.resolve(part.getSimpleName());
            copy(source(part), copy);
            entries.add(copy.toString());
        }
        return String.join(File.pathSeparator, entries);
    }

    private static Path source(Class<?> type) throws IOException {
        try {
            return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> paths = Files.walk(from)) {
            for (Path path : (Iterable<Path>) paths::iterator) {
                Path target = to.resolve(from.relativize(path).toString());
                Files.copy(path, target);
                String mode = Files.isDirectory(target) ? "rwxr-xr-x" : "rw-r--r--";
                Files.setPosixFilePermissions(target, PosixFilePermissions.fromString(mode));
            }
        }
    }
}
