package dev.pheromone.hooks;

import dev.pheromone.guard.Access;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The `.git` of a repository: who copies it, has a copy of all that lies beside it.
final class GitFolder {
    private static final String NAME = ".git";

    /// Where contents are.
    private static final Set<String> STORES = Set.of("objects", "lfs", "annex", "modules");

    private GitFolder() {}

    /// What a touch reads as well, because contents of files are where it reads.
    static Optional<Touch> alsoTouched(Touch touch) {
        boolean contents = touch.extent() == Extent.TREE || touch.extent() == Extent.PATH;
        boolean takes =
                touch.access().contains(Access.READ) || touch.access().contains(Access.ERASE);
        if (touch.guess() || !contents || !takes) {
            return Optional.empty();
        }
        Shape path = PathShapes.normal(touch.path()).iterator().next();
        List<Shape> names = path.split('/');
        Shape beside = Shape.EMPTY;
        for (int i = 1; i < names.size(); i++) {
            if (isNamed(names.get(i))) {
                boolean whole = i + 1 == names.size();
                boolean stored = !whole && isStore(names.get(i + 1));
                return stored || (whole && touch.extent() == Extent.TREE)
                        ? Optional.of(new Touch(beside, Extent.TREE, Set.of(Access.READ), false))
                        : Optional.empty();
            }
            beside = beside.plus("/").plus(names.get(i));
        }
        return Optional.empty();
    }

    private static boolean isNamed(Shape name) {
        return name.startsWith(".")
                && !name.contains(Shape.DEEP)
                && Overlap.of(name, Shape.of(NAME));
    }

    /// Whether the touch makes another repository's contents part of one.
    static boolean lends(Touch touch) {
        return touch.access().contains(Access.WRITE)
                && !touch.guess()
                && touch.path().toString().endsWith("/info/alternates");
    }

    private static boolean isStore(Shape name) {
        return STORES.stream().anyMatch(store -> Overlap.of(name, Shape.of(store)));
    }
}
