package dev.pheromone.lock;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Tags;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/// The folder `.embargo`, which the gate lies in: made with the first use of a hive, because a
/// clone of a repository has none.
public final class EmbargoFolder {

    /// A file that the folder has from the start.
    public record Part(String name, String content) {}

    /// In the order in which they are made: git is to see nothing of the folder.
    public static final List<Part> PARTS =
            List.of(new Part(".gitignore", "*\n"), new Part(Gate.NAME, ""));

    /// Begins the names of files being written; a process that was killed may leave some.
    public static final String DRAFT_PREFIX = ".init-";

    private static final int TAG_LENGTH = 8;

    private EmbargoFolder() {}

    /// Makes the folder and its files, unless the folder is there.
    static void make(Disk files, HiveLayout layout) throws IOException {
        Path folder = layout.mirror();
        if (files.exists(folder)) {
            return;
        }
        files.createFolder(folder);
        for (Part part : PARTS) {
            boolean _ = isMade(files, folder.resolve(part.name()), part.content());
        }
    }

    /// Gives `file` its content unless the name is taken; says whether it was free. Written under
    /// another name first: a file that is there is whole, whenever this process is killed.
    public static boolean isMade(Disk files, Path file, String content) throws IOException {
        if (files.exists(file)) {
            return false;
        }
        Path draft = file.resolveSibling(DRAFT_PREFIX + Tags.random(TAG_LENGTH));
        files.create(draft, content.getBytes(StandardCharsets.UTF_8));
        try {
            files.link(draft, file);
            files.sync(Objects.requireNonNull(file.getParent()));
            return true;
        } catch (FileAlreadyExistsException e) {
            // Another process was faster, and made the same.
            return false;
        } finally {
            files.remove(draft);
        }
    }
}
