package dev.pheromone.hooks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Finds locked paths in texts that may be run: also those whose parts stand apart, as in
/// `join("src", "key.pem")`.
final class Mentions {
    private Mentions() {}

    /// The first lock of which a path is spoken in one of the texts.
    static Optional<LockedArea> find(List<String> texts, List<LockedArea> areas) {
        for (String text : texts) {
            Set<String> names = LastNet.names(text);
            if (names.size() < 2) {
                // A single name is a path, and is judged as one.
                continue;
            }
            Set<Shape> parts = parts(names);
            for (LockedArea area : areas) {
                if (isNamed(area, parts)) {
                    return Optional.of(area);
                }
            }
        }
        return Optional.empty();
    }

    private static Set<Shape> parts(Set<String> names) {
        var parts = new LinkedHashSet<Shape>();
        for (String name : names) {
            for (String part : name.split("/", -1)) {
                if (!part.isEmpty()) {
                    parts.add(Shape.of(part));
                }
            }
        }
        return parts;
    }

    private static boolean isNamed(LockedArea area, Set<Shape> parts) {
        for (Shape shape : PathShapes.ofPattern("", area.lock().path())) {
            List<Shape> literal = new ArrayList<>();
            for (Shape segment : shape.split('/')) {
                if (!segment.isEmpty() && !isAnything(segment)) {
                    literal.add(segment);
                }
            }
            if (!literal.isEmpty()
                    && literal.stream()
                            .allMatch(one ->
                                    parts.stream().anyMatch(part -> Overlap.of(one, part)))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isAnything(Shape segment) {
        return Overlap.of(segment, Shape.of("\u0001"));
    }

    /// The last two names of a path, as texts speak of it.
    static String shortened(Path file) {
        int count = file.getNameCount();
        return file.subpath(Math.max(0, count - 2), count).toString().replace('\\', '/');
    }
}
