package dev.pheromone.hooks;

import dev.pheromone.guard.Access;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.LockKind;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What only people change, lock or no lock.
final class PeoplesFiles {
    private static final String HIVE = ".deia";

    private static final List<String> NAMES =
            List.of(
                    ".deia/do-not-read",
                    ".deia/do-not-alter",
                    ".deia/do-not-erase",
                    ".deia/ROTG-2-RESPECT-DO-NOT-ERASE.lock",
                    ".deia/overrides",
                    ".deia/mute",
                    ".deia/tools",
                    ".deia/trust.yaml",
                    ".deia/hive.yaml",
                    ".embargo");

    private static final String SOURCE = "for-people";

    /// More files than this are not looked at one by one: then one of them is taken to be met.
    private static final int FILES_MAX = 500;

    private final Locks locks;
    private final List<Path> roots;

    PeoplesFiles(Locks locks) {
        this.locks = locks;
        this.roots = List.copyOf(locks.roots());
    }

    /// What stands against agents at any time, as a lock.
    static Lock lock(String path) {
        return new Lock(LockKind.DO_NOT_ALTER, path, SOURCE, "rsm hook");
    }

    /// The reason why a touch of a path, in these forms, is not for agents.
    Optional<Decision.Blocked> blocked(Touch touch, Set<Shape> forms) {
        if (!touch.access().contains(Access.WRITE) && !touch.access().contains(Access.ERASE)) {
            return Optional.empty();
        }
        Extent extent = touch.guess() ? Extent.PATH : touch.extent();
        for (Shape form : forms) {
            for (Shape place : PathShapes.covered(form, extent)) {
                Optional<String> name = met(place, form, touch);
                if (name.isPresent()) {
                    return Optional.of(
                            Judge.blocked(
                                    form
                                            + ": only people change locks, trust and"
                                            + " configuration, here "
                                            + name.get(),
                                    lock(name.get()),
                                    form.toString()));
                }
                for (Path file : locks.forPeople()) {
                    if (Overlap.of(place, Shape.of(AreaReach.slashes(file)))) {
                        return Optional.of(
                                Judge.blocked(
                                        form
                                                + ": only people change what makes agent programs"
                                                + " ask the locks, here "
                                                + file,
                                        lock(file.toString()),
                                        form.toString()));
                    }
                }
            }
        }
        return Optional.empty();
    }

    private Optional<String> met(Shape place, Shape form, Touch touch) {
        for (Path root : roots) {
            for (String name : NAMES) {
                // What is done to the folder itself is done to all that is in it.
                boolean meets =
                        AreaReach.overlaps(place, root, name, Extent.TREE)
                                || form.is(AreaReach.slashes(root.resolve(HIVE)));
                boolean surely =
                        !isSearch(touch) || AreaReach.overlaps(place, root, name, Extent.PATH);
                if (meets && (surely || isThere(place, root.resolve(name)))) {
                    return Optional.of(name);
                }
            }
        }
        return Optional.empty();
    }

    /// Whether it changes or erases what is found in some folder around the hive; who only writes
    /// may bring files that are not there.
    private static boolean isSearch(Touch touch) {
        Shape path = touch.path();
        int deep = path.indexOf(Shape.DEEP, 0);
        boolean found =
                touch.access().contains(Access.READ) || touch.access().equals(Set.of(Access.ERASE));
        return found
                && deep > 0
                && !path.part(0, deep).toString().matches(".*/\\.(?:deia|embargo).*");
    }

    /// Whether a file below `folder` is among those that wildcards stand for: only what is there is
    /// found by them.
    private boolean isThere(Shape place, Path folder) {
        var open = new ArrayDeque<Path>(List.of(folder));
        int seen = 0;
        while (!open.isEmpty()) {
            Path next = open.removeFirst();
            for (String name : locks.names(next)) {
                Path file = next.resolve(name);
                if (++seen > FILES_MAX || Overlap.of(place, Shape.of(AreaReach.slashes(file)))) {
                    return true;
                }
                open.add(file);
            }
        }
        return false;
    }
}
