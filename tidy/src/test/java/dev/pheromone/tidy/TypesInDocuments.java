package dev.pheromone.tidy;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// A type that a document names in backticks exists: ours in the sources, others where a source
/// imports them or in the JDK.
final class TypesInDocuments implements Rule {
    private static final List<String> DOCUMENTS =
            List.of("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md");
    private static final List<String> JDK_PACKAGES =
            List.of("java.lang.", "java.util.", "java.io.", "java.nio.file.", "java.nio.channels.");

    /// Two humps at least, as in `FileTransport` or `RseEvent.QueenSelect`: a single one may be any
    /// word.
    private static final Pattern TYPE =
            Pattern.compile("`((?:[A-Z][a-z0-9]+){2,}(?:\\.[A-Z]\\w*)*)(?:[.(#<][^`]*)?`");

    @Override
    public Stream<Problem> problems(Repository repository) {
        Set<String> known = new HashSet<>();
        repository
                .sources()
                .forEach(source -> {
                    known.addAll(source.types());
                    source.imports().forEach(name -> known.addAll(List.of(name.split("\\."))));
                });
        return DOCUMENTS.stream()
                .flatMap(name -> repository.file(name).stream())
                .flatMap(document -> unknownTypes(document, known));
    }

    private static Stream<Problem> unknownTypes(TextFile document, Set<String> known) {
        return TYPE.matcher(document.text())
                .results()
                .flatMap(found ->
                        Stream.of(found.group(1).split("\\."))
                                .filter(type -> !known.contains(type) && !isInJdk(type))
                                .map(type -> "names the type " + type + ", which does not exist")
                                .map(message -> document.problemAt(found.start(), message)));
    }

    private static boolean isInJdk(String type) {
        return JDK_PACKAGES.stream().anyMatch(name -> exists(name + type));
    }

    private static boolean exists(String type) {
        try {
            Class.forName(type, false, ClassLoader.getPlatformClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}
