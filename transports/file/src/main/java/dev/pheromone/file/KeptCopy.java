package dev.pheromone.file;

import dev.pheromone.guard.WithheldException;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// A file of the hive as it was when the hive was locked, copied into the mirror for those who need
/// to know while nobody may look.
final class KeptCopy {

    private static final int TAG_LENGTH = 8;

    private final Disk disk;
    private final Disk guarded;
    private final HiveLayout layout;
    private final Path original;
    private final Path copy;

    KeptCopy(Disk disk, Disk guarded, HiveLayout layout, Path original) {
        this.disk = disk;
        this.guarded = guarded;
        this.layout = layout;
        this.original = original;
        this.copy = layout.mirror().resolve(String.valueOf(original.getFileName()));
    }

    Path path() {
        return copy;
    }

    /// What was kept; nothing if there was no such file, or nobody kept it.
    byte[] read() throws IOException {
        return RegularFile.read(disk, copy, YamlText.BYTES_MAX).orElse(new byte[0]);
    }

    /// Copies the file as it is now, if it may be read.
    void keep() throws IOException {
        Optional<byte[]> content;
        try {
            content = RegularFile.read(guarded, original, YamlText.BYTES_MAX);
        } catch (WithheldException e) {
            return;
        }
        if (content.isEmpty() && !disk.exists(copy)) {
            return;
        }
        HiveSetup.makeMirror(disk, layout);
        Path draft =
                layout.mirror().resolve("." + copy.getFileName() + "-" + Tags.random(TAG_LENGTH));
        disk.create(draft, content.orElse(new byte[0]));
        disk.rename(draft, copy);
        disk.sync(layout.mirror());
    }
}
