package dev.pheromone.lock;

import dev.pheromone.config.YamlText;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.RegularFile;
import dev.pheromone.disk.Stat;
import dev.pheromone.disk.Tags;
import dev.pheromone.guard.WithheldException;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/// A file of the hive as it was when the hive was locked, copied into the embargo for those who
/// need to know while nobody may look.
public final class KeptCopy {

    private static final int TAG_LENGTH = 8;

    /// How often the file may change while it is copied.
    private static final int TRIES_MAX = 3;

    private final Disk disk;
    private final Disk guarded;
    private final HiveLayout layout;
    private final Path original;
    private final Path copy;

    public KeptCopy(Disk disk, Disk guarded, HiveLayout layout, Path original) {
        this.disk = disk;
        this.guarded = guarded;
        this.layout = layout;
        this.original = original;
        this.copy = layout.embargo().resolve(String.valueOf(original.getFileName()));
    }

    Path path() {
        return copy;
    }

    /// What was kept, no bytes if there was no such file; empty if nobody kept it.
    Optional<byte[]> read() throws IOException {
        return RegularFile.read(disk, copy, YamlText.BYTES_MAX);
    }

    /// Copies the file as it is now, if it may be read. That there is none is kept, too: a copy
    /// that is missing was lost.
    void keep() throws IOException {
        try {
            for (int tries = 0; tries < TRIES_MAX; tries++) {
                Optional<Stat> before = guarded.stat(original);
                write(RegularFile.read(guarded, original, YamlText.BYTES_MAX).orElse(new byte[0]));
                // Whoever changed it meanwhile may have kept theirs already, and we the old one.
                if (guarded.stat(original).equals(before)) {
                    return;
                }
            }
        } catch (WithheldException e) {
            // An earlier copy still counts.
        }
    }

    /// As [#keep], unless the copy is there and younger than the file.
    public void refresh() throws IOException {
        try {
            if (!isFresh()) {
                keep();
            }
        } catch (WithheldException e) {
            // An earlier copy still counts.
        }
    }

    private boolean isFresh() throws IOException {
        Optional<Stat> kept = disk.stat(copy);
        if (kept.isEmpty()) {
            return false;
        }
        Optional<Stat> there = guarded.stat(original);
        return there.isEmpty()
                ? kept.get().size() == 0
                : there.get().size() == kept.get().size()
                        && there.get().changed().isBefore(kept.get().changed());
    }

    private void write(byte[] content) throws IOException {
        EmbargoFolder.make(disk, layout);
        String prefix = "." + copy.getFileName() + "-";
        for (Path left : disk.list(layout.embargo())) {
            if (String.valueOf(left.getFileName()).startsWith(prefix)) {
                disk.remove(left);
            }
        }
        Path draft = layout.embargo().resolve(prefix + Tags.random(TAG_LENGTH));
        disk.create(draft, content);
        try {
            disk.rename(draft, copy);
        } catch (NoSuchFileException e) {
            // Another process took it for left behind, and writes its own now.
            return;
        }
        disk.sync(layout.embargo());
    }
}
