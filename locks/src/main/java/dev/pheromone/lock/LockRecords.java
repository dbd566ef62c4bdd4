package dev.pheromone.lock;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.RegularFile;
import dev.pheromone.disk.Stat;
import dev.pheromone.disk.Tags;
import dev.pheromone.guard.Verdict;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The records of what locks cover, a file for each in the embargo. They name files that may not be
/// read, so while there is such a lock nobody but the guard reads them.
public final class LockRecords {

    private static final String SUFFIX = ".jsonl";
    private static final int BYTES_MAX = 16 * 1024 * 1024;
    private static final int TAG_LENGTH = 8;

    private final Disk disk;
    private final HiveLayout layout;

    public LockRecords(Disk disk, HiveLayout layout) {
        this.disk = disk;
        this.layout = layout;
    }

    private Path folder() {
        return layout.embargo().resolve(HiveLayout.LOCK_RECORDS);
    }

    /// Where the record of the lock that is the file `lock` lies.
    Path file(Path lock) {
        return folder().resolve(
                        layout.hive().relativize(lock).toString().replace('/', '.') + SUFFIX);
    }

    /// Writes down what the lock in the file `lock` covers now; for who has the gate alone.
    ///
    /// @param hive what stands against the hive besides this lock and the lists
    void keep(Path lock, LockScope scope, Verdict hive) throws IOException {
        Optional<Stat> stat = disk.stat(lock);
        if (stat.isEmpty()) {
            return;
        }
        LockRecord record =
                new LockRecord(
                        LockRecord.idOf(stat.get()),
                        layout.nameOf(lock),
                        scope,
                        new LockInventory.Taking(behindOthers(lock, hive), layout, scope).take());
        disk.createFolder(folder());
        Path draft = folder().resolve("." + Tags.random(TAG_LENGTH));
        disk.create(draft, record.bytes());
        disk.rename(draft, file(lock));
        disk.sync(folder());
    }

    /// The record of the lock that is the file `lock` now; empty if there is none of this very
    /// lock, or none that can be read.
    public Optional<LockRecord> of(Path lock) throws IOException {
        Optional<Stat> stat = disk.stat(lock);
        try {
            Optional<byte[]> bytes = RegularFile.read(disk, file(lock), BYTES_MAX);
            if (stat.isPresent() && bytes.isPresent()) {
                LockRecord record = LockRecord.parse(bytes.get());
                return Optional.of(record)
                        .filter(kept -> kept.lock().equals(LockRecord.idOf(stat.get())));
            }
        } catch (IOException e) {
            // It says nothing then.
        }
        return Optional.empty();
    }

    /// What was done past the guard to what `record` has, for who has just taken the file `lock`
    /// away.
    List<Breach> breaches(LockRecord record, Path lock) throws IOException {
        return record.breaches(behindOthers(lock, hiveNow()), layout);
    }

    /// Takes the record of a lock away that is over.
    void end(Path lock) throws IOException {
        if (disk.exists(file(lock))) {
            disk.remove(file(lock));
        }
    }

    /// The files behind all locks but `lock`. The guard itself is not asked: it would go in by the
    /// gate.
    private Disk behindOthers(Path lock, Verdict hive) throws IOException {
        List<LockEntry> others = new ArrayList<>();
        for (LockEntry entry : LockLists.read(disk, layout, layout.hive()).entries()) {
            if (!entry.declaredIn().equals(layout.nameOf(lock))) {
                others.add(entry);
            }
        }
        LockView view = LockView.of(others, new PathForms(disk, layout), disk);
        // An entry that has expired is taken for one that has not: less is looked at, never more.
        return new GuardedFiles(
                disk,
                (hive instanceof Verdict.Blocked blocked ? view.withHive(blocked) : view)
                        .at(Instant.MIN));
    }

    /// What stands against the hive besides lists: an outside guard may, and there is no time to
    /// ask it.
    private Verdict hiveNow() throws IOException {
        if (disk.stat(LockFiles.hiveLock(layout)).isPresent()) {
            return LockView.uncertain("the hive is locked");
        }
        for (Path tool : disk.list(OutsideGuard.folder(layout))) {
            if (OutsideGuard.isGuard(tool)) {
                return LockView.uncertain("an outside guard has its say");
            }
        }
        return Verdict.ALLOWED;
    }

    /// Every lock that has a record, by the file that it is; whether it is still there or not.
    public List<Path> locks() throws IOException {
        List<Path> locks = new ArrayList<>();
        for (Path file : disk.list(folder())) {
            String name = String.valueOf(file.getFileName());
            if (name.endsWith(SUFFIX)) {
                String lock = name.substring(0, name.length() - SUFFIX.length());
                int dot = lock.indexOf('.');
                boolean isList = dot > 0 && LockLists.isFolder(lock.substring(0, dot));
                locks.add(
                        isList
                                ? layout.hive()
                                        .resolve(lock.substring(0, dot))
                                        .resolve(lock.substring(dot + 1))
                                : layout.hive().resolve(lock));
            }
        }
        return locks;
    }
}
