package dev.pheromone.tidy;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// What one module uses of another is what that module exports, also where the compiler does not
/// say so: programs are compiled on the class path.
final class ExportedPackages implements Rule {
    private static final Pattern EXPORTS = Pattern.compile("\\bexports\\s+([\\w.]+)\\s*;");

    @Override
    public Stream<Problem> problems(Repository repository) {
        Map<String, String> homes = new HashMap<>();
        Set<String> exported = new HashSet<>();
        Set<String> modules = new HashSet<>();
        repository
                .mainSources()
                .forEach(source -> {
                    if (source.name().equals("module-info")) {
                        modules.add(source.module());
                        EXPORTS.matcher(source.code())
                                .results()
                                .forEach(found -> exported.add(found.group(1)));
                    } else {
                        homes.put(source.packageName(), source.module());
                    }
                });
        return repository
                .mainSources()
                .flatMap(source ->
                        source.imports().stream()
                                .map(JavaSource::packageOf)
                                .distinct()
                                .filter(name -> modules.contains(homes.getOrDefault(name, "")))
                                .filter(name -> !source.module().equals(homes.get(name)))
                                .filter(name -> !exported.contains(name))
                                .map(name ->
                                        source.file()
                                                .problem(
                                                        "imports %s, which %s does not export"
                                                                .formatted(
                                                                        name, homes.get(name)))));
    }
}
