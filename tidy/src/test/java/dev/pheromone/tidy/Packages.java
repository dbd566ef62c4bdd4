package dev.pheromone.tidy;

import java.util.HashMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/// Every package has one home and a `package-info` that says what it is, with nothing nullable
/// unless marked.
final class Packages implements Rule {
    @Override
    public Stream<Problem> problems(Repository repository) {
        return Stream.concat(split(repository), unexplained(repository));
    }

    private static Stream<Problem> split(Repository repository) {
        var homes = new HashMap<String, String>();
        return repository
                .mainSources()
                .filter(source -> !source.packageName().isEmpty())
                .flatMap(source -> {
                    String name = source.packageName();
                    String home = homes.computeIfAbsent(name, _ -> source.module());
                    return home.equals(source.module())
                            ? Stream.empty()
                            : Stream.of(
                                    source.file()
                                            .problem("package " + name + " is at home in " + home));
                });
    }

    private static Stream<Problem> unexplained(Repository repository) {
        var infos = new TreeMap<String, String>();
        repository
                .mainSources()
                .filter(source -> source.name().equals("package-info"))
                .forEach(info -> infos.put(info.packageName(), info.code()));
        return repository
                .mainSources()
                .filter(source -> !source.name().equals("module-info"))
                .filter(source ->
                        !infos.getOrDefault(source.packageName(), "").contains("@NullMarked"))
                .map(source ->
                        source.file().problem("its package has no package-info with @NullMarked"));
    }
}
