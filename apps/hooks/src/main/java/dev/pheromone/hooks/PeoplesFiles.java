package dev.pheromone.hooks;

import dev.pheromone.guard.Access;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.LockKind;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What only people change, or `rsm` alone, lock or no lock.
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

    /// The rooms that `rsm` alone writes: the log and what proves it. Events of an agent come by
    /// its commands, `rsm drop` for one; a line that a shell appends says what nobody did.
    private static final List<String> ROOMS =
            List.of(
                    ".deia/telemetry",
                    ".deia/archive",
                    ".deia/seen",
                    ".deia/active",
                    ".deia/status",
                    ".deia/state",
                    ".deia/reservations",
                    ".deia/seats",
                    ".deia/outbox");

    /// Mail that waits. Whatever writes a file may add some; none is edited or taken away.
    private static final String MAIL = ".deia/inbox/*/*.md";

    private static final String INBOXES = ".deia/inbox";

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
                Optional<Decision.Blocked> blocked =
                        met(NAMES, place, form, touch)
                                .map(name ->
                                        blocked(
                                                form,
                                                "only people change locks, trust and configuration",
                                                name))
                                .or(() -> ofRsm(place, form, touch))
                                .or(() -> asking(place, form, touch));
                if (blocked.isPresent()) {
                    return blocked;
                }
            }
        }
        return Optional.empty();
    }

    private static Decision.Blocked blocked(Shape form, String reason, String name) {
        return Judge.blocked(form + ": " + reason + ", here " + name, lock(name), form.toString());
    }

    /// What `rsm` alone writes. A program that we don't know is not suspected, as most only read;
    /// one that unpacks or deletes there is known to.
    private Optional<Decision.Blocked> ofRsm(Shape place, Shape form, Touch touch) {
        if (touch.guess() && touch.access().contains(Access.READ)) {
            return Optional.empty();
        }
        return met(ROOMS, place, form, touch)
                .map(name -> blocked(form, "only rsm writes the log and what proves it", name))
                .or(() ->
                        changesMail(place, touch)
                                ? Optional.of(
                                        blocked(
                                                form,
                                                "mail that waits is not edited or taken away",
                                                INBOXES))
                                : Optional.empty());
    }

    /// Whether mail that is there may be changed or go away. A file that is written as a whole is
    /// new mail, unless one of its name is there.
    private boolean changesMail(Shape place, Touch touch) {
        boolean takes =
                touch.content() == null
                        && touch.access().contains(Access.ERASE)
                        && (touch.access().contains(Access.READ)
                                || !touch.access().contains(Access.WRITE));
        for (Path root : roots) {
            if (!AreaReach.overlaps(place, root, MAIL, Extent.PATH)) {
                continue;
            }
            boolean surely =
                    takes
                            && (!isSearch(touch)
                                    || place.isPlain()
                                    || isThere(place, root.resolve(INBOXES)));
            if (surely || (place.isPlain() && isThere(place))) {
                return true;
            }
        }
        return false;
    }

    /// What makes agent programs ask us, and what is run then.
    private Optional<Decision.Blocked> asking(Shape place, Shape form, Touch touch) {
        for (Path file : locks.forPeople()) {
            Shape name = Shape.of(AreaReach.slashes(file));
            boolean below =
                    PathShapes.covered(name, Extent.TREE).stream()
                            .anyMatch(one -> Overlap.of(place, one));
            if (Overlap.of(place, name) || (below && (!isSearch(touch) || isThere(place, file)))) {
                return Optional.of(
                        blocked(
                                form,
                                "only people change what makes agent programs ask the locks",
                                file.toString()));
            }
        }
        return Optional.empty();
    }

    private Optional<String> met(List<String> names, Shape place, Shape form, Touch touch) {
        for (Path root : roots) {
            for (String name : names) {
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

    private boolean isThere(Shape place) {
        Path file = Path.of(place.toString());
        Path folder = file.getParent();
        return folder != null && locks.names(folder).contains(String.valueOf(file.getFileName()));
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
