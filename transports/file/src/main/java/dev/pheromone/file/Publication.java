package dev.pheromone.file;

import dev.pheromone.Envelope;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.Tags;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.Objects;

/// The durable way of an envelope to a name outside the inboxes: written aside, forced to the disk,
/// then given its name, which never replaces another. A name that was taken and is free again when
/// it is compared is tried once more: success is only said of what is there.
final class Publication {

    /// What is under the name now.
    enum Result {
        /// The envelope, since a moment ago.
        NEW,
        /// The same mail, put there by somebody else.
        SAME,
        /// Something else.
        OTHER
    }

    private static final int TAG_LENGTH = 8;

    /// How often a taken name may turn out to be free again before that is called an error.
    private static final int TRIES_MAX = 3;

    private final Disk files;
    private final Inspector inspector;

    Publication(Disk files, Inspector inspector) {
        this.files = files;
        this.inspector = inspector;
    }

    /// Gives `envelope` the name `file`, by way of a draft in the folder `drafts`. After `NEW` and
    /// `SAME` it survives a power cut.
    Result publish(Envelope envelope, Path drafts, Path file) throws IOException {
        Path folder = Objects.requireNonNull(file.getParent());
        Path draft = drafts.resolve(envelope.id() + "." + Tags.random(TAG_LENGTH));
        files.createFolder(folder);
        files.createFolder(drafts);
        files.create(draft, envelope.bytes());
        try {
            Result result = name(envelope, draft, file);
            if (result != Result.OTHER) {
                // Also if it was there: whoever put it there may not have come so far.
                files.sync(folder);
            }
            return result;
        } finally {
            removeDraft(draft);
        }
    }

    private Result name(Envelope envelope, Path draft, Path file) throws IOException {
        for (int tries = 0; ; tries++) {
            try {
                files.link(draft, file);
                return Result.NEW;
            } catch (FileAlreadyExistsException e) {
                Inspector.Likeness likeness = inspector.compare(envelope, file);
                if (likeness != Inspector.Likeness.GONE) {
                    return likeness == Inspector.Likeness.SAME ? Result.SAME : Result.OTHER;
                }
                if (tries == TRIES_MAX) {
                    throw e;
                }
            }
        }
    }

    private void removeDraft(Path draft) {
        try {
            files.remove(draft);
        } catch (IOException e) {
            // It harms nobody; recovery or `doctor` finds what is old.
        }
    }
}
