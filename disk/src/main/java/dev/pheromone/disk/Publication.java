package dev.pheromone.disk;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/// The one durable write: content gets a name, and never replaces what has that name. A reader sees
/// the whole content or none, and success is only said of what is there.
///
/// A publication is one operation to whoever sets a lock: withheld at its first step, or done.
///
/// The order of forces is decided here and nowhere else: the content before its name, the folder
/// after. The draft stays open until its first name is gone, and is forced by that handle.
public final class Publication {

    /// What is under the name now.
    public enum Result {
        /// The content, since a moment ago.
        NEW,
        /// The same, put there by somebody else; forced by now, too.
        SAME,
        /// Something else, which stays as it is.
        OTHER
    }

    /// How a file that has the name already compares with the content.
    public enum Likeness {
        SAME,
        OTHER,
        /// The name is free again.
        GONE
    }

    /// Compares the file that has the name with what was to get it.
    public interface Comparison {
        Likeness with(Path file) throws IOException;
    }

    /// The name is there, but a power cut may undo it: the folder could not be forced.
    public static final class UnforcedException extends IOException {
        private static final long serialVersionUID = 1;

        private UnforcedException(IOException why) {
            super(why.getMessage(), why);
        }

        /// Why the folder could not be forced, in words.
        public String reason() {
            return getCause() instanceof IOException why ? Trouble.reason(why) : "";
        }
    }

    private static final int TAG_LENGTH = 8;

    /// How often a taken name may turn out to be free again before that is called an error.
    private static final int TRIES_MAX = 3;

    private final Disk files;

    public Publication(Disk files) {
        this.files = files;
    }

    /// A name for a draft in `folder`, which no other draft has.
    public static Path draft(Path folder, String prefix) {
        return folder.resolve(prefix + Tags.random(TAG_LENGTH));
    }

    /// Says of any file that has the name that it is `likeness`.
    public Comparison presence(Likeness likeness) {
        return file -> files.exists(file) ? likeness : Likeness.GONE;
    }

    /// Gives `content` the name `file`, in a folder that is there. After `NEW` and `SAME` it
    /// survives a power cut. A name that was taken and is free again when it is compared is tried
    /// once more.
    ///
    /// @param draft the name until then; its folder is made if need be
    public Result publish(byte[] content, Path draft, Path file, Comparison comparison)
            throws IOException {
        try (Disk.Operation _ = files.begin();
                Disk.Draft open =
                        files.in(folderOf(draft), () -> files.openDraft(draft, content))) {
            try {
                open.force();
                return named(draft, file, comparison);
            } finally {
                removeDraft(draft);
            }
        }
    }

    private Result named(Path draft, Path file, Comparison comparison) throws IOException {
        for (int tries = 0; ; tries++) {
            try {
                // A hard link, not a rename: rename(2) would silently replace an earlier file of
                // the same name.
                files.link(draft, file);
                forceName(file);
                return Result.NEW;
            } catch (FileAlreadyExistsException e) {
                switch (comparison.with(file)) {
                    case SAME -> {
                        confirm(file);
                        return Result.SAME;
                    }
                    case OTHER -> {
                        return Result.OTHER;
                    }
                    case GONE -> {
                        if (tries == TRIES_MAX) {
                            throw e;
                        }
                    }
                }
            }
        }
    }

    /// Gives the file that is called `existing` the name `file` too, in a folder that is there.
    /// After `NEW`, and after `SAME` if it had that name before, the name survives a power cut;
    /// `OTHER` if another file has it.
    public Result link(Path existing, Path file) throws IOException {
        try (Disk.Operation _ = files.begin()) {
            Result result = linked(existing, file);
            if (result != Result.OTHER) {
                forceName(file);
            }
            return result;
        }
    }

    private Result linked(Path existing, Path file) throws IOException {
        try {
            files.link(existing, file);
            return Result.NEW;
        } catch (FileAlreadyExistsException e) {
            Optional<Stat> stat = files.stat(existing);
            if (stat.isEmpty()) {
                throw new NoSuchFileException(existing.toString());
            }
            return files.stat(file).filter(stat.get()::isSameFileAs).isPresent()
                    ? Result.SAME
                    : Result.OTHER;
        }
    }

    /// Forces a file that somebody else put there, and its name: whoever did that may not have come
    /// so far.
    public void confirm(Path file) throws IOException {
        try {
            files.force(file);
        } catch (NoSuchFileException e) {
            // It has gone on since it was found, by the hand of somebody who relies on it.
        }
        files.sync(folderOf(file));
    }

    private void forceName(Path file) throws UnforcedException {
        try {
            files.sync(folderOf(file));
        } catch (IOException e) {
            throw new UnforcedException(e);
        }
    }

    private static Path folderOf(Path file) {
        return Objects.requireNonNull(file.getParent());
    }

    private void removeDraft(Path draft) {
        try {
            files.remove(draft);
        } catch (IOException e) {
            // It harms nobody; recovery or `doctor` finds what is old.
        }
    }
}
