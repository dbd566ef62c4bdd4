package dev.pheromone.cli.agent;

import dev.pheromone.cli.frame.Guards;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.file.setup.HiveRoot;
import dev.pheromone.file.setup.NoHiveException;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.LockKind;
import dev.pheromone.guard.Permission;
import dev.pheromone.guard.Verdict;
import dev.pheromone.hooks.LockedArea;
import dev.pheromone.hooks.Locks;
import dev.pheromone.lock.LockEntry;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.session.caller.FileProblem;
import dev.pheromone.session.hive.Reserving;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/// The locks of the hives around the working folder, and of those in which a touched path lies, for
/// the check of tool calls: a hive within another one takes nothing from the locks of the outer
/// one.
final class GuardLocks implements Locks {

    private static final String EVERYTHING = "**";
    private static final String UNCERTAIN = "uncertain";
    private static final String LOCK_RECORDS =
            HiveLayout.MIRROR_FOLDER + "/" + HiveLayout.LOCK_RECORDS + "/*.jsonl";
    private static final Set<Access> ANY = Set.of(Access.READ, Access.WRITE, Access.ERASE);

    /// More names in a folder are not looked at one by one.
    private static final int NAMES_MAX = 10_000;

    private final Invocation call;
    private final Guards guards;

    /// Those of the session, nearest first, then those elsewhere that have a say.
    private final List<Guards.Guarded> hives;

    private final List<Path> roots = new ArrayList<>();
    private final List<Path> ownRoots;
    private final List<LockedArea> areas = new ArrayList<>();
    private @Nullable List<Path> settings;

    private GuardLocks(Invocation call, Guards guards, List<Guards.Guarded> hives)
            throws IOException {
        this.call = call;
        this.guards = guards;
        this.hives = hives;
        for (Guards.Guarded hive : hives) {
            add(hive, lock -> lock);
        }
        this.ownRoots = List.copyOf(roots);
    }

    /// Those of `session`, and of `others`.
    ///
    /// @param unclear places of which it can't be told in which hive they lie, and why
    private GuardLocks(
            GuardLocks session, Collection<Guards.Guarded> others, Map<Path, String> unclear)
            throws IOException {
        this.call = session.call;
        this.guards = session.guards;
        this.hives = new ArrayList<>(session.hives);
        this.roots.addAll(session.roots);
        this.ownRoots = session.ownRoots;
        this.areas.addAll(session.areas);
        for (Guards.Guarded hive : others) {
            hives.add(hive);
            add(hive, hive::named);
        }
        unclear.forEach((place, reason) ->
                areas.add(
                        new LockedArea(
                                new Lock(LockKind.DNR, EVERYTHING, UNCERTAIN, reason),
                                ANY,
                                List.of(place))));
    }

    private void add(Guards.Guarded hive, UnaryOperator<Lock> naming) throws IOException {
        List<Path> trees = HiveRoot.workTrees(hive.layout());
        trees.stream().filter(tree -> !roots.contains(tree)).forEach(roots::add);
        addAreas(hive, trees, naming);
    }

    /// The locks around here; none if there is no hive.
    ///
    /// @param folders where the tool may be used, besides the working folder
    static GuardLocks of(Invocation call, List<Path> folders) throws NoHiveException, IOException {
        Guards guards = new Guards(call, folders);
        return new GuardLocks(call, guards, guards.here());
    }

    @Override
    public GuardLocks over(Collection<Path> places) {
        Set<Guards.Guarded> others = new LinkedHashSet<>();
        Map<Path, String> unclear = new LinkedHashMap<>();
        for (Path place : places) {
            try {
                Guards.Having having = guards.over(place);
                String reason = having.unclear();
                if (reason != null) {
                    unclear.put(place, reason);
                }
                others.addAll(having.hives());
            } catch (IOException e) {
                // A path that can't be followed can't be by the tool either.
            }
        }
        hives.forEach(others::remove);
        try {
            return others.isEmpty() && unclear.isEmpty()
                    ? this
                    : new GuardLocks(this, others, unclear);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The hive whose log tells what was decided about `path`: the nearest one of the session, else
    /// one in which the path lies; none if there is neither.
    Optional<Guards.Guarded> telling(String path) {
        if (hives.isEmpty() && path.startsWith("/")) {
            try {
                return guards.over(Path.of(path)).hives().stream().findFirst();
            } catch (IOException | InvalidPathException e) {
                // The decision counts all the same.
                return Optional.empty();
            }
        }
        return hives.stream().findFirst();
    }

    /// The hives that have a say over `path`.
    List<Guards.Guarded> hivesOver(Path path) throws IOException {
        return guards.over(path).hives();
    }

    /// The hives of the session in which something is reserved.
    List<Guards.Guarded> withReservations() {
        List<Guards.Guarded> found = new ArrayList<>();
        for (Guards.Guarded hive : hives) {
            if (Reserving.isUsedAt(hive.layout(), hive.guard())) {
                found.add(hive);
            }
        }
        return found;
    }

    /// The nearest hive of the session; empty if there is none.
    Optional<Guards.Guarded> nearest() {
        return hives.isEmpty() ? Optional.empty() : Optional.of(hives.getFirst());
    }

    /// The roots of the session's hives: what is worked on.
    List<Path> ownRoots() {
        return ownRoots;
    }

    private void addAreas(Guards.Guarded hive, List<Path> trees, UnaryOperator<Lock> naming) {
        LockFiles guard = hive.guard();
        HiveLayout layout = hive.layout();
        if (guard.check(layout.hive(), Access.READ) instanceof Verdict.Blocked blocked) {
            areas.add(new LockedArea(naming.apply(blocked.lock()), ANY, trees));
        }
        if (guard.check(layout.root(), Access.READ) instanceof Verdict.Blocked blocked) {
            Lock lock = naming.apply(blocked.lock());
            areas.add(
                    new LockedArea(
                            new Lock(lock.kind(), EVERYTHING, lock.source(), lock.declaredIn()),
                            ANY,
                            trees));
        }
        for (LockEntry entry : guard.entries()) {
            if (entry.kind() == LockKind.DNR) {
                // What is written down of locks names what may not be read.
                areas.add(LockedArea.of(naming.apply(lock(entry, LOCK_RECORDS)), trees));
            }
            // A content can lie anywhere.
            String pattern = entry.pattern().isEmpty() ? EVERYTHING : entry.pattern();
            areas.add(LockedArea.of(naming.apply(lock(entry, pattern)), trees));
        }
    }

    private static Lock lock(LockEntry entry, String pattern) {
        return new Lock(entry.kind(), pattern, entry.declaredIn(), entry.declaredIn());
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
                    new Lock(LockKind.DNR, EVERYTHING, UNCERTAIN, HiveLayout.HIVE_FOLDER),
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
