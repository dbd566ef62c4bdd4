package dev.pheromone.guard;

import java.io.IOException;
import java.nio.file.Path;

/// Thrown where a lock forbids an access; nothing was touched. Operations for which a lock is an
/// everyday outcome answer with a value instead.
public final class WithheldException extends IOException {

    private static final long serialVersionUID = 1;

    private final transient Path path;
    private final transient Verdict.Blocked verdict;

    /// The guard said `verdict` on `path`.
    public WithheldException(Path path, Verdict.Blocked verdict) {
        super(path + " is under lock " + verdict.lock().kind() + ": " + verdict.reason());
        this.path = path;
        this.verdict = verdict;
    }

    /// What was to be touched.
    public Path path() {
        return path;
    }

    /// Which lock it was, and why.
    public Verdict.Blocked verdict() {
        return verdict;
    }
}
