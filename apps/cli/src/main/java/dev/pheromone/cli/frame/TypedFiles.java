package dev.pheromone.cli.frame;

import dev.pheromone.envelope.ContentHash;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Verdict;
import dev.pheromone.guard.WithheldException;

import java.io.IOException;
import java.nio.file.Path;

/// The files that a command line names, behind the locks: a lock on a file holds for whoever hands
/// it to `rsm`, too. The guards of every hive around the file are asked before it is opened, and
/// what is opened is the very path that they judged: `link/..` leads where the link does.
public final class TypedFiles {

    private static final String STANDARD_INPUT = "-";

    private final UserFiles files;
    private final Guards guards;

    public TypedFiles(Invocation call) {
        this.files = call.userFiles();
        this.guards = new Guards(call);
    }

    /// The whole content, `-` for standard input. Fails if it is larger than `bytesMax`, or locked.
    public byte[] read(String typed, int bytesMax) throws IOException {
        require(typed);
        return files.read(typed, bytesMax);
    }

    /// The last bytes of a regular file, at most `bytesMax`. Fails if it is locked.
    public byte[] readEnd(String typed, int bytesMax) throws IOException {
        require(files.asTyped(typed), Access.READ);
        return files.readEnd(files.asTyped(typed), bytesMax);
    }

    /// The hash of the whole content, `-` for standard input. Fails if it is locked.
    public ContentHash hash(String typed) throws IOException {
        require(typed);
        return files.hash(typed);
    }

    /// The content of a file that nobody else may read; any other is refused. Fails if it is
    /// locked.
    public byte[] readSecret(String typed) throws IOException {
        require(typed);
        return files.readSecret(files.asTyped(typed));
    }

    /// Whether there is such a file. Fails if it is locked: not even that is to be known.
    public boolean exists(String typed) throws IOException {
        require(typed);
        return typed.equals(STANDARD_INPUT) || files.exists(typed);
    }

    /// Fails if a lock forbids writing the file that was typed, or replacing it if it is there.
    public void requireWritable(String typed) throws IOException {
        Path path = files.asTyped(typed);
        require(path, Access.WRITE);
        if (files.exists(typed)) {
            require(path, Access.ERASE);
        }
    }

    /// Fails if a hive around `path` forbids this access to it.
    public void require(Path path, Access access) throws IOException {
        if (guards.over(path).check(path, access, null) instanceof Verdict.Blocked blocked) {
            throw new WithheldException(path.normalize(), blocked);
        }
    }

    private void require(String typed) throws IOException {
        if (!typed.equals(STANDARD_INPUT)) {
            require(files.asTyped(typed), Access.READ);
        }
    }
}
