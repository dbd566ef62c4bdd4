package dev.pheromone.cli;

import dev.pheromone.ContentHash;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Verdict;
import dev.pheromone.guard.WithheldException;

import java.io.IOException;
import java.nio.file.Path;

/// The files that a command line names, behind the locks: a lock on a file holds for whoever hands
/// it to `rsm`, too.
final class TypedFiles {

    private static final String STANDARD_INPUT = "-";

    private final UserFiles files;
    private final Guards guards;

    TypedFiles(Invocation call) {
        this.files = call.userFiles();
        this.guards = new Guards(call);
    }

    /// The whole content, `-` for standard input. Fails if it is larger than `bytesMax`, or locked.
    byte[] read(String typed, int bytesMax) throws IOException {
        require(typed);
        return files.read(typed, bytesMax);
    }

    /// The hash of the whole content, `-` for standard input. Fails if it is locked.
    ContentHash hash(String typed) throws IOException {
        require(typed);
        return files.hash(typed);
    }

    /// The content of a file that nobody else may read; any other is refused. Fails if it is
    /// locked.
    byte[] readSecret(String typed) throws IOException {
        require(typed);
        return files.readSecret(files.resolve(typed));
    }

    /// Whether there is such a file. Fails if it is locked: not even that is to be known.
    boolean exists(String typed) throws IOException {
        require(typed);
        return typed.equals(STANDARD_INPUT) || files.exists(typed);
    }

    private void require(String typed) throws IOException {
        if (typed.equals(STANDARD_INPUT)) {
            return;
        }
        Path path = files.asTyped(typed);
        if (guards.over(path).check(path, Access.READ, null) instanceof Verdict.Blocked blocked) {
            throw new WithheldException(path.normalize(), blocked);
        }
    }
}
