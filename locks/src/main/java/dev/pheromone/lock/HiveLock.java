package dev.pheromone.lock;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.RegularFile;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/// What the lock of a whole hive says: the reason in its first line, who set the lock in a later
/// one. The file's name alone is the lock; its text never decides anything.
public final class HiveLock {

    /// What events and verdicts call the hive's own lock.
    public static final String SOURCE = "rotg-2";

    /// Begins the line that says who set the lock.
    private static final String BY = "by: ";

    private static final int BYTES_MAX = 1024;

    private final Disk disk;
    private final Path file;

    public HiveLock(Disk disk, HiveLayout layout) {
        this.disk = disk;
        this.file = LockFiles.hiveLock(layout);
    }

    /// The text of a lock that `by` sets for `reason`; either may be empty.
    static String text(String reason, String by) {
        String who = by.isEmpty() ? "" : BY + by + "\n";
        return reason.isEmpty() && who.isEmpty() ? "" : reason + "\n" + who;
    }

    /// Why the hive is locked; empty if the lock does not say.
    public String reason() {
        return lines().stream().findFirst().orElse("").strip();
    }

    /// Who set the lock; empty if the lock does not say.
    public String by() {
        return lines().stream()
                .skip(1)
                .filter(line -> line.startsWith(BY))
                .map(line -> line.substring(BY.length()).strip())
                .findFirst()
                .orElse("");
    }

    private List<String> lines() {
        try {
            byte[] content = RegularFile.read(disk, file, BYTES_MAX).orElse(new byte[0]);
            return new String(content, StandardCharsets.UTF_8).lines().toList();
        } catch (IOException e) {
            return List.of();
        }
    }
}
