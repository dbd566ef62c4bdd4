package dev.pheromone.lock;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.FileHash;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Stat;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// What a lock covered when it came into force: so that whoever wrote past the guard is found.
///
/// @param lock which one, by the file that it is: another file of that name is another lock
/// @param declaredIn the file, relative to the hive root
public record LockRecord(String lock, String declaredIn, LockScope scope, LockInventory inventory) {

    /// More are not told one by one: each becomes an event.
    private static final int BREACHES_MAX = 1_000;

    private static final long HASHED_BYTES_MAX = 64L * 1024 * 1024;

    /// The lock that is the file of which `stat` tells.
    static String idOf(Stat stat) {
        return "%s-%d".formatted(stat.inode(), stat.changed().toEpochMilli());
    }

    /// A line about the lock, and one for each file or place.
    byte[] bytes() {
        StringBuilder lines = new StringBuilder();
        lines.append(
                        Json.obj()
                                .put("id", lock)
                                .put("declared_in", declaredIn)
                                .put("lock", scope.lock())
                                .put("pattern", scope.pattern())
                                .put("whole", inventory.isWhole())
                                .putTexts("hidden", inventory.hidden()))
                .append('\n');
        for (LockedFile file : new TreeMap<>(inventory.files()).values()) {
            lines.append(file.json()).append('\n');
        }
        return lines.toString().getBytes(StandardCharsets.UTF_8);
    }

    /// Fails on anything that [#bytes] did not write.
    static LockRecord parse(byte[] bytes) throws IOException {
        try {
            List<String> lines = new String(bytes, StandardCharsets.UTF_8).lines().toList();
            Json.Obj head = object(lines.getFirst());
            Map<String, LockedFile> files = new TreeMap<>();
            for (String line : lines.subList(1, lines.size())) {
                LockedFile file = LockedFile.of(object(line));
                files.put(file.path(), file);
            }
            return new LockRecord(
                    head.text("id"),
                    head.text("declared_in"),
                    new LockScope(head.text("lock"), head.text("pattern")),
                    new LockInventory(
                            files, new HashSet<>(head.texts("hidden")), head.flag("whole")));
        } catch (MalformedJsonException | RuntimeException e) {
            throw new IOException("no record of a lock: " + e.getMessage(), e);
        }
    }

    private static Json.Obj object(String line) throws MalformedJsonException {
        if (Json.parse(line) instanceof Json.Obj object) {
            return object;
        }
        throw new IllegalArgumentException("found a line that is not an object");
    }

    /// What happened since that the lock forbids.
    ///
    /// @param disk behind all locks that are in force now
    public List<Breach> breaches(Disk disk, HiveLayout layout) {
        LockInventory now = new LockInventory.Taking(disk, layout, scope).take();
        Set<String> paths = new HashSet<>(inventory.files().keySet());
        paths.addAll(now.files().keySet());
        List<Breach> breaches = new ArrayList<>();
        long bytesLeft = HASHED_BYTES_MAX;
        for (String path : paths.stream().sorted().toList()) {
            LockedFile was = inventory.files().get(path);
            LockedFile is = now.files().get(path);
            Breach.Change change = null;
            if (is == null) {
                change = now.isWhole() && !now.hides(path) ? Breach.Change.GONE : null;
            } else if (was == null) {
                change =
                        inventory.isWhole() && !inventory.hides(path) && !scope.allowsMore()
                                ? Breach.Change.CAME
                                : null;
            } else if (is.differsFrom(was) && !isLonger(is, was, disk, layout)) {
                change = Breach.Change.CHANGED;
            }
            if (change != null && breaches.size() < BREACHES_MAX) {
                ContentHash hash = is == null ? null : is.hash();
                if (is != null && hash == null && is.size() <= bytesLeft) {
                    bytesLeft -= is.size();
                    hash = LockInventory.hash(disk, layout.root().resolve(path));
                }
                breaches.add(new Breach(path, change, hash, scope.lock(), declaredIn));
            }
        }
        return breaches;
    }

    /// Whether the lock allows that, and there is only more at the file's end.
    private boolean isLonger(LockedFile is, LockedFile was, Disk disk, HiveLayout layout) {
        if (!scope.allowsMore() || is.size() < was.size()) {
            return false;
        }
        ContentHash before = was.hash();
        try {
            // What was not read may have been written over; who knows that is not found.
            return before == null
                    || FileHash.of(disk, layout.root().resolve(is.path()), was.size())
                            .equals(before);
        } catch (IOException e) {
            return true;
        }
    }
}
