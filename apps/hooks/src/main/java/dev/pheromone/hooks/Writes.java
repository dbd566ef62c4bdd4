package dev.pheromone.hooks;

import dev.pheromone.guard.Access;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// What a tool call names for writing. Unlike a lock, whoever asks for it wants no guesses: what
/// some program might do with a word of its command is left out.
final class Writes {
    /// More than this are not written one by one.
    private static final int COUNT_MAX = 200;

    private Writes() {}

    static List<WrittenPath> of(Touches found, Locks locks) {
        Set<WrittenPath> written = new LinkedHashSet<>();
        for (Touch touch : found.touches()) {
            if (touch.guess() || !isWritten(touch.access())) {
                continue;
            }
            boolean isTree = touch.extent() == Extent.TREE || touch.extent() == Extent.VISIBLE_TREE;
            if (touch.path().isPlain()) {
                add(touch.path(), isTree, written);
            } else {
                for (Shape match : Places.matches(touch, locks)) {
                    add(match, isTree, written);
                }
            }
        }
        return List.copyOf(written);
    }

    private static boolean isWritten(Set<Access> access) {
        return access.contains(Access.WRITE) || access.contains(Access.ERASE);
    }

    private static void add(Shape path, boolean isTree, Set<WrittenPath> written) {
        if (written.size() < COUNT_MAX) {
            try {
                String normal = PathShapes.normal(path).iterator().next().toString();
                written.add(new WrittenPath(Path.of(normal), isTree));
            } catch (InvalidPathException e) {
                // No file can have this name.
            }
        }
    }
}
