package dev.pheromone.lock;

import dev.pheromone.config.MalformedYamlException;
import dev.pheromone.config.YamlText;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.FileHash;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.disk.Publication;
import dev.pheromone.disk.RegularFile;
import dev.pheromone.disk.Stat;
import dev.pheromone.disk.Tags;
import dev.pheromone.disk.Trouble;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.LockKind;
import dev.pheromone.guard.Verdict;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.trust.Signer;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Sets locks and lifts them, for the people who may. When a lock is set it is in force: whoever
/// was past the guard before has finished.
///
/// With the guard it is what touches the hive's lock, its lists and the outside guard; everybody
/// else goes by way of `GuardedFiles`.
public final class Locksmith {

    /// How long setting a lock waits for work that is under way.
    private static final Duration QUIET_MAX = Duration.ofSeconds(30);

    /// How long lifting one waits for the moment at which nobody is at work.
    private static final Duration COMPARE_MAX = Duration.ofSeconds(2);

    private static final int TAG_LENGTH = 8;

    private final Disk disk;
    private final HiveLayout layout;
    private final LockFiles guard;
    private final Gate gate;
    private final LockRecords records;
    private final Duration patience;

    /// What setting a lock came to.
    ///
    /// @param declaredIn the file that is the lock, relative to the hive root
    /// @param isNew whether it was not there before
    /// @param isQuiet whether all work that began before it has ended; else somebody is stuck
    /// @param inside the processes that are, where that can be told
    /// @param lost what did not work beside it, each a clause; the lock is in force all the same
    public record Placed(
            String declaredIn,
            boolean isNew,
            boolean isQuiet,
            List<Long> inside,
            List<String> lost) {

        public Placed {
            inside = List.copyOf(inside);
            lost = List.copyOf(lost);
        }
    }

    /// What lifting a lock came to.
    ///
    /// @param lists the files that were the lock, relative to the hive root
    /// @param breaches what was done past the guard while it was in force, as far as that was
    ///   written down and could be compared
    public record Lifted(List<String> lists, List<Breach> breaches) {

        public Lifted {
            lists = List.copyOf(lists);
            breaches = List.copyOf(breaches);
        }
    }

    /// An outside guard.
    ///
    /// @param file relative to the hive root
    public record Tool(String file, ContentHash hash) {}

    /// The locksmith of the hive at `layout`, whose locks `guard` sees.
    public Locksmith(HiveLayout layout, LockFiles guard) {
        this(layout, guard, QUIET_MAX);
    }

    public Locksmith(HiveLayout layout, LockFiles guard, Duration patience) {
        this.patience = patience;
        this.disk = new LocalDisk();
        this.layout = layout;
        this.guard = guard;
        this.gate = Gate.of(layout);
        this.records = new LockRecords(disk, layout);
    }

    /// Whether the hive's own lock is there.
    public boolean isHiveLocked() throws IOException {
        return disk.stat(LockFiles.hiveLock(layout)).isPresent();
    }

    /// The file that is the hive's own lock, if it is there, relative to the hive root.
    public String hiveLock() {
        return layout.nameOf(LockFiles.hiveLock(layout));
    }

    /// Why the hive is locked, as the lock says; empty if it does not.
    public String hiveReason() {
        return guard.reason();
    }

    /// Locks the whole hive. When this returns, nobody reads or writes in it any more. Fails only
    /// if there is no lock: what else can't be written, on a full disk say, is told in `lost`.
    public Placed lockHive(String reason) throws IOException, InterruptedException {
        return lockHive(reason, "");
    }

    /// As [#lockHive(String)], and the lock says that `by` set it.
    public Placed lockHive(String reason, String by) throws IOException, InterruptedException {
        Path lock = LockFiles.hiveLock(layout);
        List<String> lost = new ArrayList<>();
        Verdict before = guard.check(layout.hive(), Access.READ);
        try {
            EmbargoFolder.make(disk, layout);
            // Before the lock: who may lift it must be known when nobody may look any more.
            new KeptTrust(layout, guard).keep();
            new KeptConfig(layout, guard).keep();
        } catch (IOException e) {
            // Nothing may keep a person from locking; an earlier copy still counts.
        }
        boolean isNew = isPlaced(lock, HiveLock.text(reason, by), lost);
        // Under somebody else's lock nothing may be looked at any more.
        boolean quiet =
                isQuiet(isNew ? () -> record(lock, LockScope.ofHive(), before) : () -> {}, lost);
        List<Long> inside = inside(quiet);
        if (isNew) {
            try {
                keepListsAside();
            } catch (IOException e) {
                lost.add(
                        "files outside the hive are blocked too, for its lists could not be kept: "
                                + Trouble.reason(e));
            }
        }
        return new Placed(layout.nameOf(lock), isNew, quiet, inside, lost);
    }

    /// Gives the hive's lock its name; false if it was there.
    private boolean isPlaced(Path lock, String text, List<String> lost) throws IOException {
        try {
            // Made aside and linked: the name is there with its reason, or not at all.
            return isPublished(lock, text, lost);
        } catch (IOException e) {
            return isPlacedBare(lock, text, e, lost);
        }
    }

    /// The name alone is a lock, and takes no room for a content.
    private boolean isPlacedBare(Path lock, String text, IOException why, List<String> lost)
            throws IOException {
        try {
            disk.create(lock, new byte[0]);
        } catch (FileAlreadyExistsException e) {
            return false;
        }
        if (!text.isEmpty()) {
            lost.add("who set it and why is not written: " + Trouble.reason(why));
        }
        force(lock, lost);
        return true;
    }

    /// Waits until everybody has left, and does `work` then; false if somebody stays, or if that
    /// can't be found out.
    private boolean isQuiet(Gate.Work work, List<String> lost) throws InterruptedException {
        try {
            return gate.alone(patience, work);
        } catch (IOException e) {
            lost.add("work that began before it could not be waited for: " + Trouble.reason(e));
            return false;
        }
    }

    /// Writes down what a new lock covers: the last look at it, before the lock counts as set.
    ///
    /// @param before what stood against the hive when it was not there
    private void record(Path lock, LockScope scope, Verdict before) {
        try {
            records.keep(lock, scope, before);
        } catch (IOException e) {
            // Nothing may keep a person from locking. Without a record less is found later.
        }
    }

    private List<Long> inside(boolean quiet) {
        return quiet ? List.of() : new GateHolders(disk, layout).find();
    }

    /// Copies the lists to where the guard finds them while the hive is locked.
    private void keepListsAside() throws IOException {
        Optional<Stat> lock = disk.stat(LockFiles.hiveLock(layout));
        if (lock.isEmpty()) {
            return;
        }
        Path target = layout.embargo().resolve(LockFiles.listsAside(lock.get()));
        if (disk.exists(target)) {
            return;
        }
        Path draft = layout.embargo().resolve(".lists-" + Tags.random(TAG_LENGTH));
        disk.createFolder(draft);
        for (LockKind kind : LockKind.values()) {
            copyLists(
                    layout.hive().resolve(LockLists.folder(kind)),
                    draft.resolve(LockLists.folder(kind)));
        }
        disk.rename(draft, target);
        disk.sync(layout.embargo());
    }

    /// Something else in a folder's place is kept as such: it is as unclear under the lock as
    /// before.
    private void copyLists(Path folder, Path into) throws IOException {
        Optional<Stat> stat = disk.stat(folder);
        if (stat.isEmpty()) {
            return;
        }
        if (!stat.get().isFolder()) {
            disk.create(into, new byte[0]);
            return;
        }
        disk.createFolder(into);
        for (Path file : disk.list(folder)) {
            copyList(file, into);
        }
    }

    /// What can't be copied is still a list, and one that nobody understands locks everything.
    private void copyList(Path file, Path folder) throws IOException {
        byte[] content;
        try {
            content = RegularFile.read(disk, file, YamlText.BYTES_MAX).orElse(new byte[0]);
        } catch (IOException e) {
            content = "{unreadable".getBytes(StandardCharsets.UTF_8);
        }
        disk.create(folder.resolve(String.valueOf(file.getFileName())), content);
    }

    /// Lifts the hive's own lock; empty if there is none. The lock itself is kept in the embargo's
    /// archive.
    public Optional<Lifted> unlockHive(Instant now) throws IOException, InterruptedException {
        Path lock = LockFiles.hiveLock(layout);
        Optional<Stat> stat = disk.stat(lock);
        if (stat.isEmpty()) {
            return Optional.empty();
        }
        Path lists = layout.embargo().resolve(LockFiles.listsAside(stat.get()));
        List<Breach> breaches;
        try {
            breaches = lift(lock, now);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        if (disk.exists(lists)) {
            retire(lists, now);
        }
        return Optional.of(new Lifted(List.of(layout.nameOf(lock)), breaches));
    }

    /// Moves a lock out of force, and holds what it covered against its record before anybody can
    /// use it again.
    private List<Breach> lift(Path lock, Instant now) throws IOException, InterruptedException {
        LockRecord record = records.of(lock).orElse(null);
        List<Breach> breaches = new ArrayList<>();
        boolean alone =
                record != null
                        && gate.alone(
                                COMPARE_MAX,
                                () -> {
                                    retire(lock, now);
                                    breaches.addAll(records.breaches(record, lock));
                                });
        if (!alone) {
            retire(lock, now);
        }
        if (!alone && record != null && !record.scope().mayCoverHive()) {
            // Nobody of ours writes there, so it can be compared while others work.
            breaches.addAll(records.breaches(record, lock));
        }
        records.end(lock);
        return breaches;
    }

    /// Adds an entry to the lists, as a file of its own.
    public Placed lock(LockKind kind, String pattern, String reason, @Nullable Instant expires)
            throws IOException, InterruptedException {
        LockPattern.parse(pattern);
        Path folder = layout.hive().resolve(LockLists.folder(kind));
        refuseUnderLock(folder);
        Path file = folder.resolve("rsm-" + Tags.random(TAG_LENGTH) + ".yaml");
        StringBuilder yaml = new StringBuilder();
        yaml.append("- path_pattern: ").append(YamlText.quoted(pattern)).append('\n');
        if (!reason.isEmpty()) {
            yaml.append("  reason: ").append(YamlText.quoted(reason)).append('\n');
        }
        if (expires != null) {
            yaml.append("  expires: ").append(expires).append('\n');
        }
        Verdict before = guard.check(layout.hive(), Access.READ);
        EmbargoFolder.make(disk, layout);
        disk.createFolder(folder);
        List<String> lost = new ArrayList<>();
        publish(file, yaml.toString(), lost);
        LockScope scope = LockScope.of(kind, pattern);
        boolean quiet = isQuiet(() -> record(file, scope, before), lost);
        return new Placed(layout.nameOf(file), true, quiet, inside(quiet), lost);
    }

    /// Lifts the entries of this kind and pattern. Fails if one of them is in a list with others,
    /// which only its author should change.
    public Lifted unlock(LockKind kind, String pattern, Instant now)
            throws IOException, InterruptedException, SharedListException {
        Path folder = layout.hive().resolve(LockLists.folder(kind));
        refuseUnderLock(folder);
        List<Path> found = new ArrayList<>();
        for (Path file : disk.list(folder)) {
            List<LockEntry> entries = entriesOf(kind, file);
            boolean has = entries.stream().anyMatch(entry -> entry.pattern().equals(pattern));
            if (has && entries.size() > 1) {
                throw new SharedListException(layout.nameOf(file), entries.size());
            }
            if (has) {
                found.add(file);
            }
        }
        List<String> lifted = new ArrayList<>();
        List<Breach> breaches = new ArrayList<>();
        for (Path file : found) {
            breaches.addAll(lift(file, now));
            lifted.add(layout.nameOf(file));
        }
        return new Lifted(lifted, breaches);
    }

    /// A list has the entry, and others.
    public static final class SharedListException extends Exception {
        private static final long serialVersionUID = 1;

        SharedListException(String list, int count) {
            super("%s has %d entries, expected one".formatted(list, count));
        }
    }

    private List<LockEntry> entriesOf(LockKind kind, Path file) throws IOException {
        Optional<byte[]> bytes = RegularFile.read(disk, file, YamlText.BYTES_MAX);
        try {
            return LockLists.parse(bytes.orElse(new byte[0]), kind, layout.nameOf(file));
        } catch (MalformedYamlException e) {
            return List.of();
        }
    }

    /// The outside guards, for the person who is to approve them.
    public List<Tool> tools() throws IOException {
        Path folder = OutsideGuard.folder(layout);
        if (isHiveLocked()) {
            refuseUnderLock(folder);
        }
        List<Tool> tools = new ArrayList<>();
        for (Path file : disk.list(folder)) {
            if (OutsideGuard.isGuard(file)) {
                tools.add(new Tool(layout.nameOf(file), FileHash.of(disk, file)));
            }
        }
        return tools;
    }

    /// Writes down what a person permits; returns the file that says so. The hive's own lock does
    /// not stand against it: it is there for the time of a lock.
    ///
    /// @param signer the person's key; null where the hive knows none
    public String permit(Leave leave, @Nullable Signer signer) throws IOException {
        Path folder = Overrides.folder(layout);
        Path file = folder.resolve(Overrides.PREFIX + Tags.random(TAG_LENGTH) + ".yaml");
        if (!isHiveLocked() && guard.check(file, Access.WRITE) instanceof Verdict.Blocked blocked) {
            throw new WithheldException(file, blocked);
        }
        EmbargoFolder.make(disk, layout);
        disk.createFolder(folder);
        publish(file, Overrides.text(leave, signer), new ArrayList<>());
        return layout.nameOf(file);
    }

    private void refuseUnderLock(Path path) throws IOException {
        if (isHiveLocked() && guard.check(path, Access.WRITE) instanceof Verdict.Blocked blocked) {
            throw new WithheldException(path, blocked);
        }
    }

    /// Fails only if `file` is not there afterwards.
    private void publish(Path file, String content, List<String> lost) throws IOException {
        if (!isPublished(file, content, lost)) {
            throw new FileAlreadyExistsException(file.toString());
        }
    }

    /// Gives `content` the name `file`; false if that is taken.
    private boolean isPublished(Path file, String content, List<String> lost) throws IOException {
        Publication publication = new Publication(disk);
        try {
            return publication.publish(
                            content.getBytes(StandardCharsets.UTF_8),
                            Publication.draft(layout.embargo(), ".lock-"),
                            file,
                            publication.presence(Publication.Likeness.OTHER))
                    == Publication.Result.NEW;
        } catch (Publication.UnforcedException e) {
            lost.add(unforced(e.reason()));
            return true;
        }
    }

    private static String unforced(String reason) {
        return "a power cut may undo it: " + reason;
    }

    private void force(Path file, List<String> lost) {
        Path folder = file.getParent();
        try {
            if (folder != null) {
                disk.sync(folder);
            }
        } catch (IOException e) {
            lost.add(unforced(Trouble.reason(e)));
        }
    }

    /// Moves a lock out of force and into the embargo's archive.
    private void retire(Path lock, Instant now) throws IOException {
        Path archive = layout.embargo().resolve("archive").resolve("locks");
        disk.createFolder(archive);
        disk.rename(
                lock,
                archive.resolve(
                        "%s.%d.%s"
                                .formatted(
                                        lock.getFileName(),
                                        now.toEpochMilli(),
                                        Tags.random(TAG_LENGTH))));
        Path folder = lock.getParent();
        if (folder != null) {
            disk.sync(folder);
        }
        disk.sync(archive);
    }
}
