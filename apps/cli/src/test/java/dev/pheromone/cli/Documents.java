package dev.pheromone.cli;

import dev.pheromone.testkit.Vectors;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/// The documents for people in this repository.
final class Documents {

    private Documents() {}

    static Path root() {
        return Objects.requireNonNull(Vectors.folder().getParent()).getParent();
    }

    static String read(String name) {
        try {
            return Files.readString(root().resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The Markdown files at the root and below `docs`, by their names from the root.
    static List<String> names() throws IOException {
        List<String> names = new ArrayList<>();
        try (Stream<Path> top = Files.list(root());
                Stream<Path> docs = Files.walk(root().resolve("docs"))) {
            Stream.concat(top, docs)
                    .filter(file -> file.toString().endsWith(".md"))
                    .map(file -> root().relativize(file).toString().replace('\\', '/'))
                    .sorted()
                    .forEach(names::add);
        }
        return names;
    }
}
