package dev.pheromone.file;

import dev.pheromone.guard.Verdict;

import java.io.IOException;
import java.nio.file.Path;

/// Thrown where a lock forbids an access; nothing was touched. Inside this package only: the
/// outside gets a value.
final class WithheldException extends IOException {

    private static final long serialVersionUID = 1;

    private final transient Verdict.Blocked verdict;

    WithheldException(Path path, Verdict.Blocked verdict) {
        super(path + " is under lock " + verdict.lock().kind() + ": " + verdict.reason());
        this.verdict = verdict;
    }

    Verdict.Blocked verdict() {
        return verdict;
    }
}
