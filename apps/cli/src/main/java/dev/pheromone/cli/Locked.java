package dev.pheromone.cli;

import dev.pheromone.file.LockEntry;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.WithheldException;

import java.io.IOException;

/// What a command says when a lock withholds something.
final class Locked {

    private Locked() {}

    static CliException by(WithheldException e) {
        return new CliException(ErrorCode.WITHHELD, String.valueOf(e.getMessage()), e)
                .hint(hint(e.verdict().lock(), e.verdict().reason()));
    }

    /// Tells the event log, or the mirror's, that a lock kept the command from something.
    static void report(Invocation call, WithheldException e) {
        try (OpenHive hive = OpenHive.of(call)) {
            hive.transport().report(e);
        } catch (IOException | CliException failed) {
            // Whoever typed it is told all the same.
        }
    }

    static CliException by(Lock lock, String reason, String thing) {
        return new CliException(
                        ErrorCode.WITHHELD, thing + " is under lock " + lock.kind() + ": " + reason)
                .hint(hint(lock, reason));
    }

    /// Whether it is not a person's lock, but the scope of what somebody is at work on.
    static boolean isClaim(Lock lock) {
        return lock.source().equals(ScopeCheck.SOURCE);
    }

    private static String hint(Lock lock, String reason) {
        if (LockEntry.isUnclear(lock.declaredIn(), reason)) {
            return "nobody knows what it was to lock, so everything is: mend or remove "
                    + lock.declaredIn();
        }
        if (isClaim(lock)) {
            return "claimed in "
                    + lock.declaredIn()
                    + "; it is free when that work is done or given back";
        }
        return "declared in " + lock.declaredIn() + "; a person set it, and a person lifts it";
    }
}
