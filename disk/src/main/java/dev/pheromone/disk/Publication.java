package dev.pheromone.disk;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/// The one durable write: content gets a name, and never replaces what has that name. A reader sees
/// the whole content or none, but for what [#publishAtOnce] and [#publishUnforced] say of a power
/// cut; and success is only said of what is there.
///
/// A publication is one operation to whoever sets a lock: withheld at its first step, or done.
///
/// The order of forces is decided here and nowhere else: the content before its name, the folder
/// after; or both at once, where whoever reads the folder knows that a power cut may leave a torn
/// file. The draft stays open until its first name is gone, and is forced by that handle.
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

    /// The name is there, but a power cut may undo it: the folder, or the content under its name,
    /// could not be forced.
    public static final class UnforcedException extends IOException {
        private static final long serialVersionUID = 1;

        private UnforcedException(IOException why) {
            super(why.getMessage(), why);
        }

        /// Why nothing could be forced, in words.
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
                Disk.Handle open =
                        files.in(folderOf(draft), () -> files.openDraft(draft, content))) {
            try {
                open.force();
                Result result = named(draft, file, comparison, Likeness.SAME);
                if (result == Result.NEW) {
                    forceName(file);
                }
                return result;
            } finally {
                removeDraft(draft);
            }
        }
    }

    /// As [#publish], at a third of its price: file systems that are known for it write the content
    /// and its name by one commit, when the content is forced under its name. On any other, and
    /// where people ask for it, the folder is forced as well. A power cut before that may leave the
    /// name with a part of the content or none, of which nobody was told anything: only for folders
    /// whose readers expect that. A content that can't be forced keeps its name too: somebody else
    /// may have forced the content meanwhile, and rely on it.
    public Result publishAtOnce(byte[] content, Path draft, Path file, Comparison comparison)
            throws IOException {
        try (Disk.Operation _ = files.begin();
                Disk.Handle open =
                        files.in(folderOf(draft), () -> files.openDraft(draft, content))) {
            Result result;
            try {
                result = named(draft, file, comparison, Likeness.GONE);
            } finally {
                // Before the content is forced, so that one commit has both names right.
                removeDraft(draft);
            }
            if (result == Result.NEW) {
                forceNamed(open, file);
            }
            return result;
        }
    }

    private void forceNamed(Disk.Handle open, Path file) throws UnforcedException {
        try {
            open.force();
            files.syncNamesOfForced(folderOf(file));
        } catch (IOException e) {
            throw new UnforcedException(e);
        }
    }

    /// Gives `content` the name `file`, in a folder that is there, unless that name is taken. A
    /// power cut may lose the file or leave a part of it: for what is only worth a few
    /// microseconds, and is done again if it is lost. Returns whether the name was free.
    ///
    /// @param draft the name until then; its folder is made if need be
    public boolean publishUnforced(byte[] content, Path draft, Path file) throws IOException {
        try (Disk.Operation _ = files.begin();
                Disk.Handle _ = files.in(folderOf(draft), () -> files.openDraft(draft, content))) {
            try {
                files.link(draft, file);
                return true;
            } catch (FileAlreadyExistsException e) {
                return false;
            } finally {
                removeDraft(draft);
            }
        }
    }

    /// @param whenGone what the same content counts as that is gone before it is forced
    private Result named(Path draft, Path file, Comparison comparison, Likeness whenGone)
            throws IOException {
        for (int tries = 0; ; tries++) {
            try {
                // A hard link, not a rename: rename(2) would silently replace an earlier file of
                // the same name.
                files.link(draft, file);
                return Result.NEW;
            } catch (FileAlreadyExistsException e) {
                Likeness likeness = comparison.with(file);
                switch (likeness == Likeness.SAME && !confirm(file) ? whenGone : likeness) {
                    case SAME -> {
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

    /// As [#link], for a caller who forces the file afterwards: until then a power cut may take the
    /// name.
    public Result linkUnforced(Path existing, Path file) throws IOException {
        try (Disk.Operation _ = files.begin()) {
            return linked(existing, file);
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
    /// so far. Says whether the file was still there.
    public boolean confirm(Path file) throws IOException {
        boolean isThere = true;
        try {
            files.force(file);
        } catch (NoSuchFileException e) {
            isThere = false;
        }
        files.syncNamesOfForced(folderOf(file));
        return isThere;
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
