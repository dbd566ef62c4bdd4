package dev.pheromone.tidy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/// Dependencies point one way: apps to session, that to hive and transports, the file transport to
/// locks, locks to disk, all of them to core, and core to almost nothing. Both what a pom declares
/// and what a source imports are looked at.
final class ModuleDirection implements Rule {
    private static final Set<String> LIBRARIES_OF_CORE =
            Set.of("tools.jackson.core:jackson-core", "org.jspecify:jspecify");

    /// Which modules a module may use; a `*` stands for any folder below that is not named itself.
    private static final Map<String, List<String>> MAY_USE =
            Map.ofEntries(
                    entry("core"),
                    entry("disk", "core"),
                    entry("locks", "core", "disk"),
                    entry("hive", "core"),
                    entry("redaction", "core"),
                    entry("transports/*", "core"),
                    entry("transports/file", "core", "disk", "locks"),
                    entry("session", "core", "disk", "locks", "hive", "redaction", "transports/*"),
                    entry("testkit", "core"),
                    entry(
                            "apps/*",
                            "core",
                            "disk",
                            "locks",
                            "hive",
                            "redaction",
                            "session",
                            "transports/*",
                            "apps/hooks",
                            "apps/mcp",
                            "apps/server"),
                    entry("apps/hooks", "core"),
                    entry("apps/mcp", "core", "disk", "hive", "session", "transports/*"),
                    entry(
                            "apps/server",
                            "core",
                            "disk",
                            "locks",
                            "hive",
                            "session",
                            "transports/*",
                            "apps/mcp"),
                    entry(
                            "benchmarks",
                            "core",
                            "disk",
                            "locks",
                            "hive",
                            "redaction",
                            "session",
                            "transports/*",
                            "apps/*",
                            "testkit"),
                    entry("tidy"));

    private static Map.Entry<String, List<String>> entry(String module, String... uses) {
        return Map.entry(module, List.of(uses));
    }

    @Override
    public Stream<Problem> problems(Repository repository) {
        return Stream.of(
                        homeless(repository),
                        declared(repository),
                        imported(repository),
                        librariesOfCore(repository))
                .flatMap(problems -> problems);
    }

    private static Stream<Problem> homeless(Repository repository) {
        return repository.modules().stream()
                .filter(module -> !MAY_USE.containsKey(lineOf(module.folder())))
                .map(module -> module.pom().problem("module has no place in " + MAY_USE.keySet()));
    }

    private static Stream<Problem> declared(Repository repository) {
        var folders = new HashMap<String, String>();
        repository.modules().forEach(module -> folders.put(module.artifact(), module.folder()));
        return repository.modules().stream()
                .flatMap(module ->
                        module.dependencies().stream()
                                .filter(MavenModule.Dependency::isOurs)
                                .filter(used -> folders.containsKey(used.artifact()))
                                .map(used -> new Use(module, folders, used)))
                .filter(use -> !mayUse(use.from(), use.to(), use.inMain()))
                .map(use -> use.module().pom().problem(message(use.from(), use.to())));
    }

    private static Stream<Problem> imported(Repository repository) {
        var homes = new HashMap<String, String>();
        repository
                .mainSources()
                .forEach(source -> homes.put(source.packageName(), source.module()));
        return repository
                .sources()
                .flatMap(source ->
                        source.imports().stream()
                                .map(name -> home(name, homes))
                                .filter(to -> !to.isEmpty() && !to.equals(source.module()))
                                .filter(to -> !mayUse(source.module(), to, !source.test()))
                                .map(to -> message(source.module(), to))
                                .distinct()
                                .map(source.file()::problem));
    }

    private static Stream<Problem> librariesOfCore(Repository repository) {
        return repository.modules().stream()
                .filter(module -> module.folder().equals("core"))
                .flatMap(module ->
                        module.dependencies().stream()
                                .filter(MavenModule.Dependency::main)
                                .filter(used -> !used.isOurs())
                                .map(MavenModule.Dependency::toString)
                                .filter(used -> !LIBRARIES_OF_CORE.contains(used))
                                .map(used -> "core may not depend on " + used)
                                .map(module.pom()::problem));
    }

    private static boolean mayUse(String from, String to, boolean inMain) {
        boolean forTests = !inMain && to.equals("testkit") && !from.equals("core");
        List<String> allowed = MAY_USE.getOrDefault(lineOf(from), List.of());
        return forTests || allowed.contains(to) || allowed.contains(family(to));
    }

    /// The folder's own line, or its family's.
    private static String lineOf(String folder) {
        return MAY_USE.containsKey(folder) ? folder : family(folder);
    }

    /// `transports/file` belongs to `transports/*`, `core` only to itself.
    private static String family(String folder) {
        int slash = folder.indexOf('/');
        return slash < 0 ? folder : folder.substring(0, slash) + "/*";
    }

    /// The module that has the package of an imported name.
    private static String home(String imported, Map<String, String> homes) {
        return homes.getOrDefault(JavaSource.packageOf(imported), "");
    }

    private static String message(String from, String to) {
        return "%s may not use %s, only %s"
                .formatted(from, to, MAY_USE.getOrDefault(lineOf(from), List.of()));
    }

    private record Use(
            MavenModule module, Map<String, String> folders, MavenModule.Dependency dependency) {
        String from() {
            return module.folder();
        }

        String to() {
            return folders.getOrDefault(dependency.artifact(), "");
        }

        boolean inMain() {
            return dependency.main();
        }
    }
}
