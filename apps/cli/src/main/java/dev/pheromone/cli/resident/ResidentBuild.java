package dev.pheromone.cli.resident;

import dev.pheromone.cli.frame.Surroundings;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// The build of the program that a resident process runs, and whether there is a newer one: who
/// changed a source or built anew must not be answered by what was there before.
final class ResidentBuild {

    /// Where the launcher looks for sources that are newer than the build, beside the parent's pom.
    private static final List<String> PLACES =
            List.of("core", "disk", "locks", "hive", "redaction", "session", "transports", "apps");

    private final Path jar;
    private final @Nullable String identity;

    private ResidentBuild(Path jar) {
        this.jar = jar;
        this.identity = ResidentAddress.identityOrNull(jar);
    }

    /// The build beside the launcher; none if the program was started by no launcher.
    static Optional<ResidentBuild> of(Surroundings surroundings) {
        return ResidentAddress.jar(surroundings).map(ResidentBuild::new);
    }

    /// Whether the program's file was replaced: clients then look for another resident.
    boolean isReplaced() {
        return !Objects.equals(identity, ResidentAddress.identityOrNull(jar));
    }

    /// Whether a source is newer than the build. Fails where nobody can look, as without a free
    /// descriptor.
    boolean hasNewerSource() throws IOException {
        Path home = jar.resolve("../../..").normalize();
        FileTime built;
        try {
            built = Files.getLastModifiedTime(jar.resolveSibling("stamp"));
        } catch (NoSuchFileException e) {
            // Without its stamp the build is not finished, and the launcher makes a new one.
            return true;
        }
        Path parent = home.resolve("pom.xml");
        if (Files.exists(parent) && Files.getLastModifiedTime(parent).compareTo(built) > 0) {
            return true;
        }
        for (String place : PLACES) {
            Path folder = home.resolve(place);
            if (Files.isDirectory(folder) && isNewerIn(folder, built)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isNewerIn(Path folder, FileTime built) throws IOException {
        boolean[] newer = {false};
        Path _ =
                Files.walkFileTree(
                        folder,
                        new SimpleFileVisitor<Path>() {
                            @Override
                            public FileVisitResult preVisitDirectory(
                                    Path visited, BasicFileAttributes attributes) {
                                return isSource(folder, visited)
                                        ? look(visited, attributes)
                                        : FileVisitResult.SKIP_SUBTREE;
                            }

                            @Override
                            public FileVisitResult visitFile(
                                    Path visited, BasicFileAttributes attributes) {
                                return look(visited, attributes);
                            }

                            private FileVisitResult look(
                                    Path visited, BasicFileAttributes attributes) {
                                boolean counts =
                                        visited.toString().contains("/src/main")
                                                || visited.endsWith("pom.xml");
                                newer[0] =
                                        counts
                                                && attributes.lastModifiedTime().compareTo(built)
                                                        > 0;
                                return newer[0]
                                        ? FileVisitResult.TERMINATE
                                        : FileVisitResult.CONTINUE;
                            }
                        });
        return newer[0];
    }

    /// Whether a folder is one of sources of the program, or above such a one.
    private static boolean isSource(Path module, Path folder) {
        String below = "/" + module.relativize(folder) + "/";
        return !below.contains("/target/")
                && !below.contains("/src/test/")
                && !below.contains("/.");
    }
}
