package dev.pheromone.cli;

import dev.pheromone.guard.Lock;
import dev.pheromone.guard.WithheldException;

/// What a command says when a lock withholds something.
final class Locked {

    private Locked() {}

    static CliException by(WithheldException e) {
        return new CliException(ErrorCode.WITHHELD, String.valueOf(e.getMessage()), e)
                .hint(hint(e.verdict().lock()));
    }

    static CliException by(Lock lock, String reason, String thing) {
        return new CliException(
                        ErrorCode.WITHHELD, thing + " is under lock " + lock.kind() + ": " + reason)
                .hint(hint(lock));
    }

    private static String hint(Lock lock) {
        return "declared in " + lock.declaredIn() + "; a person set it, and a person lifts it";
    }
}
