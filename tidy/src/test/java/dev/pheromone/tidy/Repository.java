package dev.pheromone.tidy;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// The texts of a repository, read once: what people wrote, without what builds and tools leave
/// behind.
///
/// @param others the files that are no texts, such as pictures
record Repository(List<TextFile> files, Set<Path> others, List<MavenModule> modules) {
    private static final Set<String> NOT_WRITTEN_BY_PEOPLE =
            Set.of("target", "node_modules", "__pycache__", ".git");
    private static final Set<String> HIDDEN_BUT_OURS =
            Set.of(".ci", ".githooks", ".github", ".mvn");

    /// The repository that this test is a part of.
    static Repository ofThisBuild() throws IOException {
        return at(rootOfThisBuild());
    }

    static Path rootOfThisBuild() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("tidy/pom.xml"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    static Repository at(Path root) throws IOException {
        var files = new ArrayList<TextFile>();
        var others = new HashSet<Path>();
        Files.walkFileTree(root, new TextCollector(root, files, others));
        files.sort((a, b) -> a.path().compareTo(b.path()));
        var modules =
                files.stream()
                        .filter(file -> file.path().endsWith("pom.xml"))
                        .filter(file -> file.path().getNameCount() > 1)
                        .map(MavenModule::of)
                        .toList();
        return new Repository(List.copyOf(files), Set.copyOf(others), modules);
    }

    Optional<TextFile> file(String path) {
        return files.stream().filter(file -> file.path().equals(Path.of(path))).findFirst();
    }

    /// The Java files of all modules.
    Stream<JavaSource> sources() {
        return modules.stream().flatMap(module -> sources(module.folder()));
    }

    /// The Java files of one module.
    Stream<JavaSource> sources(String module) {
        return files.stream()
                .filter(file -> file.isNamed(".java"))
                .filter(file -> file.path().startsWith(Path.of(module, "src")))
                .map(file -> JavaSource.of(file, module));
    }

    Stream<JavaSource> mainSources() {
        return sources().filter(source -> !source.test());
    }

    private static final class TextCollector extends SimpleFileVisitor<Path> {
        private final Path root;
        private final List<TextFile> files;
        private final Set<Path> others;

        TextCollector(Path root, List<TextFile> files, Set<Path> others) {
            this.root = root;
            this.files = files;
            this.others = others;
        }

        @Override
        public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            String name = folder.getFileName().toString();
            boolean foreign =
                    NOT_WRITTEN_BY_PEOPLE.contains(name)
                            || (name.startsWith(".") && !HIDDEN_BUT_OURS.contains(name));
            return foreign && !folder.equals(root)
                    ? FileVisitResult.SKIP_SUBTREE
                    : FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
            // In a linked work tree .git is a file, and says where the other tree lies.
            boolean ours = !NOT_WRITTEN_BY_PEOPLE.contains(file.getFileName().toString());
            if (ours && attributes.isRegularFile()) {
                try {
                    files.add(new TextFile(root.relativize(file), Files.readString(file)));
                } catch (MalformedInputException e) {
                    // Vectors and pictures have no lines to check.
                    others.add(root.relativize(file));
                }
            }
            return FileVisitResult.CONTINUE;
        }
    }
}
