package dev.pheromone.disk;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A `.git` that is a file and says where the repository is.
public final class GitPointer {

    private static final String GITDIR = "gitdir:";

    /// A path and a word: more is no `.git` of git's.
    private static final int POINTER_BYTES_MAX = 16 * 1024;

    private static final int CONFIG_BYTES_MAX = 1024 * 1024;

    private final Path top;
    private final Disk disk;

    GitPointer(Path top, Disk disk) {
        this.top = top;
        this.disk = disk;
    }

    GitTree follow() throws IOException {
        Optional<String> text = text(top.resolve(".git"));
        if (text.isEmpty() || !text.get().startsWith(GITDIR)) {
            return new GitTree.None();
        }
        String target = text.get().substring(GITDIR.length()).strip();
        try {
            Path gitFolder = top.resolve(target).normalize();
            return isLinked(gitFolder) ? linked(gitFolder) : new GitTree.None();
        } catch (InvalidPathException e) {
            return new GitTree.Lost(top, "%s is not a path on this machine".formatted(target));
        }
    }

    /// The tops of the work trees that were added to the repository whose main tree is at `top`.
    public static List<Path> linkedTreesOf(Path top, Disk disk) throws IOException {
        List<Path> trees = new ArrayList<>();
        for (Path gitFolder : disk.list(top.resolve(".git").resolve("worktrees"))) {
            Optional<String> back = new GitPointer(top, disk).text(gitFolder.resolve("gitdir"));
            try {
                Path git = gitFolder.resolve(back.orElse("")).normalize();
                if (git.endsWith(".git") && git.getParent() != null && disk.exists(git)) {
                    trees.add(git.getParent());
                }
            } catch (InvalidPathException e) {
                // A tree of another system, such as the one around this virtual machine.
            }
        }
        return trees;
    }

    /// By its own file if that can be read, else by its place: what can't be reached must not pass
    /// for an ordinary folder.
    private boolean isLinked(Path gitFolder) {
        if (disk.exists(gitFolder.resolve("commondir"))) {
            return true;
        }
        Path worktrees = gitFolder.getParent();
        return worktrees != null
                && worktrees.endsWith("worktrees")
                && worktrees.getParent() != null
                && !worktrees.getParent().endsWith("modules");
    }

    private GitTree linked(Path gitFolder) throws IOException {
        Optional<String> commonFolder = text(gitFolder.resolve("commondir"));
        if (commonFolder.isEmpty()) {
            return new GitTree.Lost(top, "there is no %s".formatted(gitFolder));
        }
        Path repository = gitFolder.resolve(commonFolder.get()).normalize();
        GitConfig config = config(repository);
        if (config.bare()) {
            return new GitTree.OfBare(top, repository);
        }
        Path main = repository.getParent();
        if (config.workTree().isPresent()) {
            main = repository.resolve(config.workTree().get()).normalize();
        } else if (main == null || !repository.endsWith(".git")) {
            return new GitTree.Lost(top, "%s lies outside its work tree".formatted(repository));
        }
        try {
            return new GitTree.Linked(top, disk.realPath(main));
        } catch (NoSuchFileException e) {
            return new GitTree.Lost(top, "there is no %s".formatted(main));
        }
    }

    /// With per-tree configuration switched on, git keeps the main tree's part in a file of its
    /// own.
    private GitConfig config(Path repository) throws IOException {
        GitConfig config = GitConfig.EMPTY;
        for (String name : new String[] {"config", "config.worktree"}) {
            Optional<byte[]> bytes =
                    RegularFile.read(disk, repository.resolve(name), CONFIG_BYTES_MAX);
            config = bytes.isPresent() ? config.with(bytes.get()) : config;
        }
        return config;
    }

    private Optional<String> text(Path file) throws IOException {
        Optional<byte[]> bytes = RegularFile.read(disk, file, POINTER_BYTES_MAX);
        return bytes.isPresent()
                ? Optional.of(new String(bytes.get(), StandardCharsets.UTF_8).strip())
                : Optional.empty();
    }
}
