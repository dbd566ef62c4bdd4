package dev.pheromone.cli.frame;

import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.file.setup.HiveRoot;
import dev.pheromone.file.setup.NoHiveException;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.LockKind;
import dev.pheromone.guard.Permission;
import dev.pheromone.guard.Verdict;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.session.hive.OpenHive;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The guards that have a say over a path: those of the hives in which the command was typed, since
/// a content can be locked wherever it lies, and those of the hives in which the path lies.
public final class Guards {

    private final Invocation call;
    private final List<Path> folders;
    private final List<Guarded> opened = new ArrayList<>();
    private final Map<Path, Having> asked = new HashMap<>();
    private @Nullable List<Guarded> here;

    /// One hive and its guard.
    public record Guarded(HiveLayout layout, LockFiles guard) {

        /// A lock of this hive, for whoever is elsewhere: with the whole path of what declares it.
        public Lock named(Lock lock) {
            return new Lock(
                    lock.kind(),
                    lock.path(),
                    lock.source(),
                    layout.root().resolve(lock.declaredIn()).toString());
        }
    }

    public Guards(Invocation call) {
        this(call, List.of());
    }

    /// @param folders where the command counts as typed, too
    public Guards(Invocation call, List<Path> folders) {
        this.call = call;
        this.folders = List.copyOf(folders);
    }

    /// The guards of one path.
    ///
    /// @param here how many of them, the first, are of hives in which the command was typed
    /// @param unclear why it can't be told which they are; null if it can
    public record Having(List<Guarded> hives, int here, @Nullable String unclear) {

        public boolean isInHive() {
            return unclear != null || !hives.isEmpty();
        }

        /// What the first of them that forbids it says.
        public Verdict check(Path path, Access access, @Nullable ContentHash content) {
            if (unclear != null) {
                return new Verdict.Blocked(
                        new Lock(LockKind.DNR, "**", "uncertain", HiveLayout.HIVE_FOLDER), unclear);
            }
            for (int i = 0; i < hives.size(); i++) {
                Guarded hive = hives.get(i);
                Verdict verdict =
                        content == null
                                ? hive.guard().check(path, access)
                                : hive.guard().checkContent(path, content);
                if (verdict instanceof Verdict.Blocked(Lock lock, String reason)) {
                    return i < here ? verdict : new Verdict.Blocked(hive.named(lock), reason);
                }
            }
            return Verdict.ALLOWED;
        }

        /// The leave to write `content` there in spite of a lock; none if one of them forbids it.
        public Optional<Permission> permission(Path path, ContentHash content) {
            Permission leave = null;
            for (Guarded hive : hives) {
                Permission found = hive.guard().permission(path, content).orElse(null);
                if (found == null
                        && hive.guard().check(path, Access.ERASE) instanceof Verdict.Blocked) {
                    return Optional.empty();
                }
                leave = found == null ? leave : found;
            }
            return unclear == null ? Optional.ofNullable(leave) : Optional.empty();
        }
    }

    public Having over(Path path) throws IOException {
        Having known = asked.get(path);
        if (known == null) {
            known = find(path);
            asked.put(path, known);
        }
        return known;
    }

    private Having find(Path path) throws IOException {
        try {
            List<Guarded> hives = new ArrayList<>(here());
            int count = hives.size();
            addHivesOf(path, hives);
            return new Having(hives, count, null);
        } catch (NoHiveException e) {
            return new Having(List.of(), 0, String.valueOf(e.getMessage()));
        }
    }

    /// Those of the hives in which the command was typed, nearest first: of the one that was named,
    /// which must be there, or is around the working folder, and of those around that.
    public List<Guarded> here() throws NoHiveException, IOException {
        List<Guarded> known = here;
        if (known == null) {
            known = new ArrayList<>();
            HiveLayout nearest = nearest();
            if (nearest != null) {
                add(nearest, known);
                for (HiveLayout outer : HiveRoot.around(nearest.root())) {
                    add(outer, known);
                }
            }
            for (Path folder : folders) {
                addHivesOf(folder, known);
            }
            here = known;
        }
        return known;
    }

    private @Nullable HiveLayout nearest() throws NoHiveException, IOException {
        if (call.namedRoot() != null) {
            return TypedHive.find(call);
        }
        try {
            return HiveRoot.find(call.surroundings().cwd());
        } catch (NoHiveException e) {
            if (!e.isCertain()) {
                throw e;
            }
            return null;
        }
    }

    /// Adds those of the hives in which `path` lies.
    private void addHivesOf(Path path, List<Guarded> hives) throws NoHiveException, IOException {
        if (!isHidden(path, hives)) {
            for (HiveLayout around : HiveRoot.around(path)) {
                add(around, hives);
            }
        }
    }

    /// Whether one of the hives says that `path` may not even be followed to where it leads: that
    /// would be to look at it. The hives that its name goes through are found on the way, from the
    /// outside in, so that each is asked before anything in it is looked at.
    private boolean isHidden(Path path, List<Guarded> hives) throws NoHiveException, IOException {
        Path absolute = path.toAbsolutePath().normalize();
        Path folder = absolute.getRoot();
        boolean hidden = hives.stream().anyMatch(hive -> hive.guard().isHidden(path));
        for (int i = 0; !hidden && folder != null && i < absolute.getNameCount(); i++) {
            HiveLayout found = HiveRoot.in(folder).orElse(null);
            if (found != null) {
                hidden = add(found, hives).guard().isHidden(path);
            }
            folder = folder.resolve(absolute.getName(i));
        }
        return hidden;
    }

    private Guarded add(HiveLayout layout, List<Guarded> hives) {
        Guarded guarded = guarded(layout);
        if (!hives.contains(guarded)) {
            hives.add(guarded);
        }
        return guarded;
    }

    private Guarded guarded(HiveLayout layout) {
        for (Guarded known : opened) {
            if (known.layout().root().equals(layout.root())) {
                return known;
            }
        }
        Guarded guarded = new Guarded(layout, OpenHive.guard(call, layout));
        opened.add(guarded);
        return guarded;
    }
}
