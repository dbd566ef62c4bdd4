package dev.pheromone.tidy;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/// No packages need each other in a circle, whichever modules they are in: each can be read after
/// those that it imports.
final class PackageCycles implements Rule {

    @Override
    public Stream<Problem> problems(Repository repository) {
        SortedMap<String, SortedSet<String>> uses = new TreeMap<>();
        repository
                .mainSources()
                .filter(source -> !source.packageName().isEmpty())
                .forEach(source -> {
                    SortedSet<String> imported =
                            uses.computeIfAbsent(source.packageName(), _ -> new TreeSet<>());
                    source.imports().forEach(name -> imported.add(JavaSource.packageOf(name)));
                });
        Set<Set<String>> circles = new LinkedHashSet<>();
        uses.keySet().forEach(name -> circles.add(circleOf(name, uses)));
        circles.removeIf(circle -> circle.size() < 2);
        return circles.stream().map(circle -> problem(repository, circle));
    }

    /// Those that `name` needs and that need `name`, itself included.
    private static Set<String> circleOf(String name, SortedMap<String, SortedSet<String>> uses) {
        Set<String> circle = new TreeSet<>();
        circle.add(name);
        for (String other : reachable(name, uses)) {
            if (reachable(other, uses).contains(name)) {
                circle.add(other);
            }
        }
        return circle;
    }

    private static Set<String> reachable(String from, SortedMap<String, SortedSet<String>> uses) {
        Set<String> found = new TreeSet<>();
        List<String> open = new ArrayList<>(List.of(from));
        while (!open.isEmpty()) {
            for (String next : uses.getOrDefault(open.removeLast(), new TreeSet<>())) {
                if (uses.containsKey(next) && found.add(next)) {
                    open.add(next);
                }
            }
        }
        return found;
    }

    private static Problem problem(Repository repository, Set<String> circle) {
        String first = new TreeSet<>(circle).getFirst();
        return repository
                .mainSources()
                .filter(source -> source.packageName().equals(first))
                .findFirst()
                .orElseThrow()
                .file()
                .problem("packages " + new TreeSet<>(circle) + " need each other in a circle");
    }
}
