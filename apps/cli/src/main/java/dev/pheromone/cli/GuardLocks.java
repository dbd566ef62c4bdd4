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

/// The locks of the hive around the working folder, for the check of tool calls.
final class GuardLocks implements Locks {

    private static final String EVERYTHING = "**";
    private static final Set<Access> ANY = Set.of(Access.READ, Access.WRITE, Access.ERASE);

    /// More names in a folder are not looked at one by one.
    private static final int NAMES_MAX = 10_000;

    private final Invocation call;
    private final HiveLayout layout;
    private final LockFiles guard;
    private final Guards guards;
    private final List<Path> roots;
    private final List<LockedArea> areas;
    private @Nullable List<Path> settings;

    private GuardLocks(Invocation call, HiveLayout layout, LockFiles guard, List<Path> roots) {
        this.call = call;
        this.layout = layout;
        this.guard = guard;
        this.guards = new Guards(call, layout);
        this.roots = roots;
        this.areas = find();
    }

    /// The locks around here; null if there is no hive, and so nobody's lock.
    ///
    /// @param folders where the tool may be used, besides the working folder
    static @Nullable GuardLocks of(Invocation call, List<Path> folders)
            throws NoHiveException, IOException {
        HiveLayout layout = new Guards(call).here();
        for (Path folder : folders) {
            layout = layout == null ? Guards.around(folder) : layout;
        }
        return layout == null
                ? null
                : new GuardLocks(
                        call, layout, OpenHive.guard(call, layout), HiveRoot.workTrees(layout));
    }

    HiveLayout layout() {
        return layout;
    }

    LockFiles guard() {
        return guard;
    }

    private List<LockedArea> find() {
        List<LockedArea> found = new ArrayList<>();
        if (guard.check(layout.hive(), Access.READ) instanceof Verdict.Blocked blocked) {
            found.add(new LockedArea(blocked.lock(), ANY));
        }
        if (guard.check(layout.root(), Access.READ) instanceof Verdict.Blocked blocked) {
            Lock lock = blocked.lock();
            found.add(
                    new LockedArea(
                            new Lock(lock.kind(), EVERYTHING, lock.source(), lock.declaredIn()),
                            ANY));
        }
        for (LockEntry entry : guard.entries()) {
            // A content can lie anywhere.
            String pattern = entry.pattern().isEmpty() ? EVERYTHING : entry.pattern();
            found.add(
                    LockedArea.of(
                            new Lock(
                                    entry.kind(),
                                    pattern,
                                    entry.declaredIn(),
                                    entry.declaredIn())));
        }
        return found;
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
        try {
            return guards.over(path).check(path, access, null);
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
            known = new HookFiles(call, guard, roots).all();
            settings = known;
        }
        return known;
    }

    @Override
    public Path real(Path path) {
        // What may not be looked at is not followed; it is blocked under the name it has.
        return guard.isHidden(path) ? path.normalize() : call.userFiles().real(path);
    }

    @Override
    public List<String> names(Path folder) {
        return check(folder, Access.READ) instanceof Verdict.Blocked
                ? List.of()
                : call.userFiles().names(folder, NAMES_MAX);
    }
}
