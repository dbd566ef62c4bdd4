package dev.pheromone.lock;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Publication;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
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

    private EmbargoFolder() {}

    /// Makes the folder and its files, unless the folder is there.
    static void make(Disk files, HiveLayout layout) throws IOException {
        Path folder = layout.embargo();
        if (files.exists(folder)) {
            return;
        }
        files.createFolder(folder);
        for (Part part : PARTS) {
            boolean _ = isMade(files, folder.resolve(part.name()), part.content());
        }
    }

    /// Gives `file` its content unless the name is taken; says whether it was free.
    public static boolean isMade(Disk files, Path file, String content) throws IOException {
        if (files.exists(file)) {
            return false;
        }
        Publication publication = new Publication(files);
        return publication.publish(
                        content.getBytes(StandardCharsets.UTF_8),
                        Publication.draft(Objects.requireNonNull(file.getParent()), DRAFT_PREFIX),
                        file,
                        // Another process was faster. What is there is not opened to be forced:
                        // closing it again would drop the kernel lock that a thread of this
                        // process may hold on the gate.
                        publication.presence(Publication.Likeness.OTHER))
                == Publication.Result.NEW;
    }
}
