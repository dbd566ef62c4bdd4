package dev.pheromone.session.caller;

import dev.pheromone.envelope.ContentHash;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;

/// The outside guards that the person at this machine has approved: one file for each, named by its
/// SHA-256, in the user's configuration folder. No repository can bring its own approval.
public final class ApprovedGuards implements Supplier<Set<ContentHash>> {

    private static final String FOLDER = "guards";

    private final UserFolder files;

    public ApprovedGuards(Caller caller) {
        this.files = caller.folder();
    }

    /// Looked for only where a hive has an outside guard. What can't be read approves nothing.
    @Override
    public Set<ContentHash> get() {
        Set<ContentHash> approved = new HashSet<>();
        try {
            for (Path file : files.list(FOLDER)) {
                add(String.valueOf(file.getFileName()), approved);
            }
        } catch (IOException e) {
            return Set.of();
        }
        return approved;
    }

    private static void add(String name, Set<ContentHash> approved) {
        try {
            approved.add(new ContentHash(name));
        } catch (IllegalArgumentException e) {
            // Somebody's note, or an editor's.
        }
    }

    /// Approves what has this hash, wherever it lies; on disk when this returns.
    public void add(ContentHash hash, String note) throws IOException {
        try {
            UserFolder.writeSecret(
                    files.path().resolve(FOLDER).resolve(hash.hex()),
                    (note + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (FileAlreadyExistsException e) {
            // Approved before.
        }
    }
}
