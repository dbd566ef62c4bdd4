package dev.pheromone.lock;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.FileHash;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Stat;
import dev.pheromone.disk.Trouble;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.LockKind;
import dev.pheromone.guard.Pass;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.guard.Verdict;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/// The locks as they were at one moment.
public final class LockView {

    /// What events call a lock that may be there or not.
    public static final String UNCERTAIN_SOURCE = "uncertain";

    /// Content is only looked at up to here; what is larger could be anything.
    static final long HASHED_BYTES_MAX = 1024L * 1024 * 1024;

    /// How many names are looked at to find out whether a folder holds something locked.
    private static final int BELOW_MAX = 10_000;

    /// What stands against everything in the hive, or null.
    private final Verdict.@Nullable Blocked hive;

    /// What stands against everything outside the hive and its mirror, or null.
    private final Verdict.@Nullable Blocked elsewhere;

    private final List<Compiled> entries;
    private final PathForms forms;
    private final Disk disk;

    private record Compiled(LockEntry entry, @Nullable LockPattern pattern) {}

    private LockView(
            Verdict.@Nullable Blocked hive,
            Verdict.@Nullable Blocked elsewhere,
            List<Compiled> entries,
            PathForms forms,
            Disk disk) {
        this.hive = hive;
        this.elsewhere = elsewhere;
        this.entries = entries;
        this.forms = forms;
        this.disk = disk;
    }

    /// A view of what lists say.
    static LockView of(List<LockEntry> entries, PathForms forms, Disk disk) {
        List<Compiled> compiled = new ArrayList<>();
        for (LockEntry entry : entries) {
            compiled.add(new Compiled(entry, pattern(entry, forms)));
        }
        return new LockView(null, null, List.copyOf(compiled), forms, disk);
    }

    private static @Nullable LockPattern pattern(LockEntry entry, PathForms forms) {
        return entry.pattern().isEmpty() ? null : LockPattern.parse(forms.normal(entry.pattern()));
    }

    /// The same, with `verdict` on everything in the hive.
    LockView withHive(Verdict.@Nullable Blocked verdict) {
        return new LockView(verdict, elsewhere, entries, forms, disk);
    }

    /// The same, with `verdict` on everything but the hive and its mirror.
    LockView withElsewhere(Verdict.Blocked verdict) {
        return new LockView(hive, verdict, entries, forms, disk);
    }

    /// A guard that says what this view says at `now`, whatever comes meanwhile.
    PolicyGuard at(Instant now) {
        return () ->
                new Pass() {
                    @Override
                    public Verdict check(Path path, Access access) {
                        return LockView.this.check(path, access, now, null);
                    }

                    @Override
                    public void close() {}
                };
    }

    Verdict.@Nullable Blocked hive() {
        return hive;
    }

    boolean isFree() {
        return hive == null && elsewhere == null && entries.isEmpty();
    }

    /// The entries that are in force.
    List<LockEntry> inForce(Instant now) {
        List<LockEntry> active = new ArrayList<>();
        for (Compiled compiled : entries) {
            if (compiled.entry().isInForce(now)) {
                active.add(compiled.entry());
            }
        }
        return active;
    }

    /// The verdict on `path`, and on `content` if that is to be written there.
    Verdict check(Path path, Access access, Instant now, @Nullable ContentHash content) {
        if (isFree()) {
            return Verdict.ALLOWED;
        }
        Verdict hidden = checkName(path, now);
        if (hidden != null) {
            return hidden;
        }
        Set<List<String>> names;
        try {
            names = forms.of(path);
        } catch (IOException e) {
            return uncertain(path + " can't be followed: " + Trouble.reason(e));
        }
        Verdict verdict = checkAsWhole(names);
        if (verdict == null) {
            verdict = checkEntries(names, path, access, now);
        }
        if (verdict == null
                && checkLinks(path, names, access, now) instanceof Verdict.Blocked linked) {
            verdict = linked;
        }
        return verdict == null ? checkContent(path, access, now, content) : verdict;
    }

    /// What forbids even to read `path`, by its name alone: what may not be read is not looked at
    /// to find that out. Null if nothing does, and the path has to be followed.
    @Nullable Verdict checkName(Path path, Instant now) {
        Set<List<String>> given = forms.asGiven(path);
        Verdict verdict = checkAsWhole(given);
        return verdict == null ? checkUnreadable(given, now) : verdict;
    }

    /// What stands against all of a part of the tree; null if nothing does.
    private @Nullable Verdict checkAsWhole(Set<List<String>> names) {
        for (List<String> form : names) {
            if (hive != null && isIn(HiveLayout.HIVE_FOLDER, form)) {
                return hive;
            }
            if (elsewhere != null && !isIn(HiveLayout.MIRROR_FOLDER, form)) {
                return elsewhere;
            }
            if (!PathForms.isReadable(form)) {
                return uncertain("its name is not text, and can't be compared with the locks");
            }
        }
        return null;
    }

    /// What the first entry says that forbids it; null if none does.
    private @Nullable Verdict checkEntries(
            Set<List<String>> names, Path path, Access access, Instant now) {
        for (Compiled compiled : entries) {
            LockEntry entry = compiled.entry();
            if (entry.kind().forbids(access)
                    && entry.isInForce(now)
                    && isCovered(compiled, names, path, access)) {
                return new Verdict.Blocked(entry.lock(), entry.told());
            }
        }
        return null;
    }

    /// What the first entry says that forbids even to read it; null if none does.
    private @Nullable Verdict checkUnreadable(Set<List<String>> names, Instant now) {
        for (Compiled compiled : entries) {
            LockEntry entry = compiled.entry();
            if (entry.kind() == LockKind.DNR && entry.isInForce(now) && isNamed(compiled, names)) {
                return new Verdict.Blocked(entry.lock(), entry.told());
            }
        }
        return null;
    }

    /// The verdict on a file outside of the hive that has several names, of which some may be
    /// locked. What is in the hive has several for good reasons, and is checked where it is read.
    private Verdict checkLinks(Path path, Set<List<String>> names, Access access, Instant now) {
        if (names.stream()
                .anyMatch(form ->
                        isIn(HiveLayout.HIVE_FOLDER, form)
                                || isIn(HiveLayout.MIRROR_FOLDER, form))) {
            return Verdict.ALLOWED;
        }
        Stat file = null;
        for (Compiled compiled : entries) {
            LockEntry entry = compiled.entry();
            LockPattern pattern = compiled.pattern();
            if (pattern == null || !entry.kind().forbids(access) || !entry.isInForce(now)) {
                continue;
            }
            try {
                file = file == null ? target(path).orElse(null) : file;
            } catch (IOException e) {
                return uncertain(path + " can't be looked at: " + Trouble.reason(e));
            }
            if (file == null || !file.isFile() || file.links() < 2) {
                return Verdict.ALLOWED;
            }
            if (new LinkedNames(disk, forms, pattern, file).mayBeIn(forms.root())) {
                return new Verdict.Blocked(
                        entry.lock(), entry.told() + ", and this may be another name of it");
            }
        }
        return Verdict.ALLOWED;
    }

    private Optional<Stat> target(Path path) throws IOException {
        return disk.stat(disk.exists(path) ? disk.realPath(path) : path);
    }

    private boolean isIn(String folder, List<String> form) {
        return !form.isEmpty() && form.getFirst().equals(forms.normal(folder));
    }

    private boolean isCovered(
            Compiled compiled, Set<List<String>> names, Path path, Access access) {
        LockPattern pattern = compiled.pattern();
        return pattern != null
                && (isNamed(compiled, names)
                        || (access != Access.READ && holdsCovered(pattern, names, path)));
    }

    /// Whether the entry's pattern covers one of these names.
    private boolean isNamed(Compiled compiled, Set<List<String>> names) {
        LockPattern pattern = compiled.pattern();
        if (pattern == null) {
            return false;
        }
        for (List<String> form : names) {
            if (compiled.entry().isDoubt() && isMirrorLog(form)) {
                continue;
            }
            if (pattern.covers(form)
                    || (compiled.entry().kind() == LockKind.DNR
                            && (isRecord(form) || pattern.covers(unmirrored(form))))) {
                return true;
            }
        }
        return false;
    }

    /// A doubt is to be told of, and this is where: it covers everything else.
    private boolean isMirrorLog(List<String> form) {
        return form.size() > 1
                && isIn(HiveLayout.MIRROR_FOLDER, form)
                && form.get(1).equals(forms.normal(HiveLayout.TELEMETRY));
    }

    /// Records of locks name what may not be read.
    private boolean isRecord(List<String> form) {
        return form.size() > 1
                && isIn(HiveLayout.MIRROR_FOLDER, form)
                && form.get(1).equals(forms.normal(HiveLayout.LOCK_RECORDS));
    }

    /// What is kept in the embargo is as secret as what it mirrors.
    private List<String> unmirrored(List<String> form) {
        if (!isIn(HiveLayout.MIRROR_FOLDER, form)) {
            return form;
        }
        List<String> original = new ArrayList<>(form);
        original.set(0, forms.normal(HiveLayout.HIVE_FOLDER));
        return original;
    }

    /// Whether `path` is a folder in which something is covered: what is done to the folder would
    /// be done to that.
    private boolean holdsCovered(LockPattern pattern, Set<List<String>> names, Path path) {
        for (List<String> form : names) {
            if (pattern.mayCoverBelow(form)) {
                return new Below(pattern, form).isFound(path);
            }
        }
        return false;
    }

    /// A bounded search for something covered; what is too large to search counts as found.
    private final class Below {
        private final LockPattern pattern;
        private final List<String> top;
        private int left = BELOW_MAX;

        Below(LockPattern pattern, List<String> top) {
            this.pattern = pattern;
            this.top = top;
        }

        boolean isFound(Path folder) {
            try {
                return isIn(folder, top);
            } catch (IOException e) {
                return true;
            }
        }

        private boolean isIn(Path folder, List<String> form) throws IOException {
            Optional<Stat> stat = disk.stat(folder);
            if (stat.isEmpty() || !stat.get().isFolder() || !pattern.mayCoverBelow(form)) {
                return false;
            }
            for (Path child : disk.list(folder)) {
                if (--left < 0) {
                    return true;
                }
                List<String> below = new ArrayList<>(form);
                below.add(forms.normal(String.valueOf(child.getFileName())));
                if (pattern.covers(below) || isIn(child, below)) {
                    return true;
                }
            }
            return false;
        }
    }

    private Verdict checkContent(
            Path path, Access access, Instant now, @Nullable ContentHash content) {
        List<LockEntry> hashed = new ArrayList<>();
        for (LockEntry entry : inForce(now)) {
            if (entry.hash() != null && entry.kind().forbids(access)) {
                hashed.add(entry);
            }
        }
        if (hashed.isEmpty()) {
            return Verdict.ALLOWED;
        }
        @Nullable ContentHash there;
        try {
            there = hashOf(path);
        } catch (IOException e) {
            return uncertain("its content can't be compared with the locks: " + Trouble.reason(e));
        }
        for (LockEntry entry : hashed) {
            if (Objects.equals(entry.hash(), there) || Objects.equals(entry.hash(), content)) {
                return new Verdict.Blocked(entry.lock(), entry.told());
            }
        }
        return Verdict.ALLOWED;
    }

    private @Nullable ContentHash hashOf(Path path) throws IOException {
        Path real = disk.exists(path) ? disk.realPath(path) : path;
        Optional<Stat> stat = disk.stat(real);
        if (stat.isEmpty() || !stat.get().isFile()) {
            return null;
        }
        if (stat.get().size() > HASHED_BYTES_MAX) {
            throw new IOException("found more than " + HASHED_BYTES_MAX + " bytes");
        }
        return FileHash.of(disk, real);
    }

    static Verdict uncertain(String reason) {
        return new Verdict.Blocked(
                new Lock(LockKind.DNR, "**", UNCERTAIN_SOURCE, HiveLayout.HIVE_FOLDER), reason);
    }
}
