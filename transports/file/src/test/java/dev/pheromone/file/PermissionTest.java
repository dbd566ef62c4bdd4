package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.disk.ChildJvm;
import dev.pheromone.disk.NotRun;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// What happens where permissions are missing. Nothing is forbidden to root, so that root lets
/// another user try it, in a process of its own; the cases are told in `PermissionMain`.
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class PermissionTest {

    /// The user that owns nothing, under the number that Linux has for it everywhere.
    private static final List<String> AS_NOBODY =
            List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");

    @TempDir Path folder;

    @ParameterizedTest
    @EnumSource(PermissionMain.Case.class)
    void whatIsForbiddenHarmsNothingElse(PermissionMain.Case forbidden) throws Exception {
        ChildJvm child = isRoot() ? asNobody(forbidden) : ChildJvm.plain();
        Path hive = Files.createDirectory(folder.resolve("hive"));
        letEverybodyIn(hive, "rwxrwxrwx");
        int exit = run(child.of(PermissionMain.class, hive.toString(), forbidden.name()));
        assertThat(exit).as(output()).isZero();
    }

    private static boolean isRoot() throws IOException {
        return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    }

    /// The class path of this process may lie in somebody's home, so that nobody gets a copy.
    private ChildJvm asNobody(PermissionMain.Case forbidden) throws Exception {
        letEverybodyIn(folder, "rwxr-xr-x");
        List<String> copies = new ArrayList<>();
        for (String entry : ChildJvm.plain().classPath().split(File.pathSeparator, -1)) {
            Path copy = folder.resolve("classes-" + copies.size());
            copyAll(Path.of(entry), copy);
            copies.add(copy.toString());
        }
        List<String> version = new ArrayList<>(AS_NOBODY);
        version.addAll(List.of(ChildJvm.java(), "-version"));
        try {
            if (run(new ProcessBuilder(version)) != 0) {
                throw NotRun.because("PermissionTest, " + forbidden, output().strip());
            }
        } catch (IOException e) {
            throw NotRun.because("PermissionTest, " + forbidden, String.valueOf(e.getMessage()));
        }
        return new ChildJvm(AS_NOBODY, String.join(File.pathSeparator, copies));
    }

    private static void copyAll(Path from, Path to) throws IOException {
        if (!Files.exists(from)) {
            return;
        }
        try (Stream<Path> paths = Files.walk(from)) {
            for (Path path : (Iterable<Path>) paths::iterator) {
                Path copy = to.resolve(from.relativize(path).toString());
                Files.copy(path, copy, StandardCopyOption.REPLACE_EXISTING);
                letEverybodyIn(copy, "rwxr-xr-x");
            }
        }
    }

    private static void letEverybodyIn(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    private int run(ProcessBuilder builder) throws Exception {
        return builder.redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile())
                .start()
                .waitFor();
    }

    private String output() throws IOException {
        return Files.readString(folder.resolve("output"));
    }
}
