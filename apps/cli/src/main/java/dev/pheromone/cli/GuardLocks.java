package dev.pheromone.cli;

import dev.pheromone.ContentHash;
import dev.pheromone.file.HiveLayout;
import dev.pheromone.file.HiveRoot;
import dev.pheromone.file.LockEntry;
import dev.pheromone.file.LockFiles;
import dev.pheromone.file.NoHiveException;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.LockKind;
import dev.pheromone.guard.Permission;
import dev.pheromone.guard.Verdict;
import dev.pheromone.hooks.LockedArea;
import dev.pheromone.hooks.Locks;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The locks of the hives around the working folder, for the check of tool calls: a hive within
/// another one takes nothing from the locks of the outer one.
final class GuardLocks implements Locks {

    private static final String EVERYTHING = "**";
    private static final Set<Access> ANY = Set.of(Access.READ, Access.WRITE, Access.ERASE);

    /// More names in a folder are not looked at one by one.
    private static final int NAMES_MAX = 10_000;

    private final Invocation call;
    private final Guards guards;

    /// Nearest first, at least one.
    private final List<Guards.Guarded> hives;

    private final List<Path> roots = new ArrayList<>();
    private final List<LockedArea> areas = new ArrayList<>();
    private @Nullable List<Path> settings;

    private GuardLocks(Invocation call, Guards guards, List<Guards.Guarded> hives)
            throws IOException {
        this.call = call;
        this.guards = guards;
        this.hives = hives;
        for (Guards.Guarded hive : hives) {
            List<Path> trees = HiveRoot.workTrees(hive.layout());
            trees.stream().filter(tree -> !roots.contains(tree)).forEach(roots::add);
            addAreas(hive, trees);
        }
    }

    /// The locks around here; null if there is no hive, and so nobody's lock.
    ///
    /// @param folders where the tool may be used, besides the working folder
    static @Nullable GuardLocks of(Invocation call, List<Path> folders)
            throws NoHiveException, IOException {
        Guards guards = new Guards(call, folders);
        List<Guards.Guarded> hives = guards.here();
        return hives.isEmpty() ? null : new GuardLocks(call, guards, hives);
    }

    /// The nearest hive.
    HiveLayout layout() {
        return hives.getFirst().layout();
    }

    LockFiles guard() {
        return hives.getFirst().guard();
    }

    private void addAreas(Guards.Guarded hive, List<Path> trees) {
        LockFiles guard = hive.guard();
        HiveLayout layout = hive.layout();
        if (guard.check(layout.hive(), Access.READ) instanceof Verdict.Blocked blocked) {
            areas.add(new LockedArea(blocked.lock(), ANY, trees));
        }
        if (guard.check(layout.root(), Access.READ) instanceof Verdict.Blocked blocked) {
            Lock lock = blocked.lock();
            areas.add(
                    new LockedArea(
                            new Lock(lock.kind(), EVERYTHING, lock.source(), lock.declaredIn()),
                            ANY,
                            trees));
        }
        for (LockEntry entry : guard.entries()) {
            if (entry.kind() == LockKind.DNR) {
                // What is written down of locks names what may not be read.
                areas.add(
                        LockedArea.of(
                                new Lock(
                                        entry.kind(),
                                        HiveLayout.MIRROR_FOLDER
                                                + "/"
                                                + HiveLayout.LOCK_RECORDS
                                                + "/*.jsonl",
                                        entry.declaredIn(),
                                        entry.declaredIn()),
                                trees));
            }
            // A content can lie anywhere.
            String pattern = entry.pattern().isEmpty() ? EVERYTHING : entry.pattern();
            areas.add(
                    LockedArea.of(
                            new Lock(entry.kind(), pattern, entry.declaredIn(), entry.declaredIn()),
                            trees));
        }
    }

    @Override
    public List<Path> roots() {
        return roots;
    }

    @Override
    public List<LockedArea> areas() {
        return areas;
    }

    @Override
    public Verdict check(Path path, Access access) {
        return verdict(path, access, null);
    }

    @Override
    public Verdict checkContent(Path path, ContentHash content) {
        return verdict(path, Access.WRITE, content);
    }

    private Verdict verdict(Path path, Access access, @Nullable ContentHash content) {
        try {
            return guards.over(path).check(path, access, content);
        } catch (IOException e) {
            return new Verdict.Blocked(
                    new Lock(LockKind.DNR, EVERYTHING, "uncertain", HiveLayout.HIVE_FOLDER),
                    path + " can't be followed: " + FileProblem.describe(e));
        }
    }

    @Override
    public Optional<Permission> permission(Path path, ContentHash content) {
        try {
            return guards.over(path).permission(path, content);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /// All settings of an agent program that decide about hooks, once some of them name ours: a
    /// switch in one of them turns off what another one says.
    @Override
    public List<Path> forPeople() {
        List<Path> known = settings;
        if (known == null) {
            known = new HookFiles(call, this).all();
            settings = known;
        }
        return known;
    }

    @Override
    public Path real(Path path) {
        // What may not be looked at is not followed; it is blocked under the name it has.
        return hives.stream().anyMatch(hive -> hive.guard().isHidden(path))
                ? path.normalize()
                : call.userFiles().real(path);
    }

    @Override
    public List<String> names(Path folder) {
        return check(folder, Access.READ) instanceof Verdict.Blocked
                ? List.of()
                : call.userFiles().names(folder, NAMES_MAX);
    }
}
