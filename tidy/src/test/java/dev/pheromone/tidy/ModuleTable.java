package dev.pheromone.tidy;

import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Every folder with a pom is a module of the root pom and a row of the README's module table, and
/// nothing else is, except that adapters, which Maven knows nothing of, have a row too.
final class ModuleTable implements Rule {
    private static final Path ADAPTERS = Path.of("adapters");
    private static final Pattern MODULE = Pattern.compile("<module>\\s*([^<]*?)\\s*</module>");
    private static final Pattern TABLE =
            Pattern.compile("(?im)^\\|\\s*module\\s*\\|.*\\n\\|[-:| ]+\\|\\n((?:\\|.*(?:\\n|$))+)");
    private static final Pattern ROW = Pattern.compile("(?m)^\\|[^`|]*`([^`]+?)/?`");

    @Override
    public Stream<Problem> problems(Repository repository) {
        var folders =
                repository.modules().stream()
                        .map(MavenModule::folder)
                        .collect(Collectors.toCollection(TreeSet::new));
        var rows = new TreeSet<>(folders);
        repository.files().stream()
                .map(TextFile::path)
                .filter(path -> path.startsWith(ADAPTERS) && path.getNameCount() > 2)
                .forEach(path -> rows.add(path.subpath(0, 2).toString()));
        return Stream.concat(
                repository.file("pom.xml").stream()
                        .flatMap(pom ->
                                compare(pom, Optional.of(names(MODULE, pom.text())), folders)),
                repository.file("README.md").stream()
                        .flatMap(readme -> compare(readme, table(readme.text()), rows)));
    }

    private static Optional<Set<String>> table(String text) {
        return TABLE.matcher(text).results().map(table -> names(ROW, table.group(1))).findFirst();
    }

    private static Set<String> names(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Stream<Problem> compare(
            TextFile file, Optional<Set<String>> listed, Set<String> folders) {
        if (listed.isEmpty()) {
            return Stream.of(file.problem("has no table whose first column is \"module\""));
        }
        return Stream.concat(
                folders.stream()
                        .filter(folder -> !listed.get().contains(folder))
                        .map(folder -> file.problem("does not list the module " + folder)),
                listed.get().stream()
                        .filter(name -> !folders.contains(name))
                        .map(name -> file.problem("lists " + name + ", which has no pom.xml")));
    }
}
