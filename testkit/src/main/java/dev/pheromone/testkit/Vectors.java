package dev.pheromone.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// The cases in `spec/vectors`, which implementations in all languages share.
public final class Vectors {

    private Vectors() {}

    /// The cases of one family, by name. Fails if there are none: a test that runs no case proves
    /// nothing.
    public static List<Vector> family(String family) {
        List<Vector> vectors =
                files(folder().resolve(family)).stream()
                        .map(file ->
                                Vector.parse(
                                        family, String.valueOf(file.getFileName()), read(file)))
                        .toList();
        if (vectors.isEmpty()) {
            throw new IllegalStateException("no vectors in family " + family + ", expected some");
        }
        return vectors;
    }

    /// The names of all families.
    public static List<String> families() {
        return entries(folder()).stream()
                .filter(Files::isDirectory)
                .map(folder -> String.valueOf(folder.getFileName()))
                .toList();
    }

    /// The folder of the cases: `spec/vectors` in the working folder, or in the nearest folder
    /// above that has one.
    public static Path folder() {
        Path start = Path.of("").toAbsolutePath();
        for (Path folder = start; folder != null; folder = folder.getParent()) {
            Path vectors = folder.resolve("spec").resolve("vectors");
            if (Files.isDirectory(vectors)) {
                return vectors;
            }
        }
        throw new IllegalStateException(
                "no folder spec/vectors in or above " + start + ", expected one");
    }

    private static List<Path> files(Path folder) {
        return entries(folder).stream().filter(Files::isRegularFile).toList();
    }

    private static List<Path> entries(Path folder) {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
