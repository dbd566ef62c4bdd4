package dev.pheromone.tidy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// A small repository made for one test.
final class Sample {
    private final Path root;

    Sample(Path root) {
        this.root = root;
    }

    Sample with(String file, String text) {
        try {
            Path path = root.resolve(file);
            Files.createDirectories(path.getParent());
            Files.writeString(path, text);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A module whose pom has these lines among its dependencies.
    Sample withModule(String folder, String... dependencies) {
        String name = folder.substring(folder.lastIndexOf('/') + 1);
        return with(
                folder + "/pom.xml",
                """
                <project xmlns="http://maven.apache.org/POM/4.0.0">
                    <artifactId>pheromone-%s</artifactId>
                    <dependencies>
                %s
                    </dependencies>
                </project>
                """
                        .formatted(name, String.join("\n", dependencies)));
    }

    static String dependency(String group, String artifact, String scope) {
        return "<dependency><groupId>%s</groupId><artifactId>%s</artifactId><scope>%s</scope></dependency>"
                .formatted(group, artifact, scope);
    }

    /// A Java type in the module's main sources; the name is fully qualified.
    Sample withType(String module, String name, String body) {
        return withSource(module + "/src/main/java/", name, body);
    }

    Sample withTest(String module, String name, String body) {
        return withSource(module + "/src/test/java/", name, body);
    }

    private Sample withSource(String folder, String name, String body) {
        int dot = name.lastIndexOf('.');
        return with(
                folder + name.replace('.', '/') + ".java",
                "package %s;\n\nfinal class %s {\n%s\n}\n"
                        .formatted(name.substring(0, dot), name.substring(dot + 1), body));
    }

    List<String> problemsOf(Rule rule) throws IOException {
        return rule.problems(Repository.at(root)).map(Problem::toString).toList();
    }
}
