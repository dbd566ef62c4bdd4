package dev.pheromone.cli.frame;

import dev.pheromone.disk.HiveLayout;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.lock.LockEntry;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.ScopeCheck;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.util.Optional;

/// What a command says when a lock withholds something.
public final class Locked {

    private Locked() {}

    public static CliException by(Invocation call, WithheldException e) {
        return frozen(call, e.verdict().lock()).orElseGet(() -> by(e));
    }

    /// As [#by(Invocation, WithheldException)], for who can't ask what the hive's own lock says.
    public static CliException by(WithheldException e) {
        Lock lock = e.verdict().lock();
        // Of a lock on all of the hive it says nothing which file was met first.
        return path(
                lock,
                e.verdict().reason(),
                lock.path().equals(HiveLayout.HIVE_FOLDER) ? "the hive" : String.valueOf(e.path()));
    }

    public static CliException by(Invocation call, Lock lock, String reason, String thing) {
        return frozen(call, lock).orElseGet(() -> path(lock, reason, thing));
    }

    /// What is said of one `thing` under a lock, frozen or not.
    public static CliException path(Lock lock, String reason, String thing) {
        return new CliException(
                        ErrorCode.WITHHELD, thing + " is under lock " + lock.kind() + ": " + reason)
                .hint(hint(lock, reason));
    }

    /// What is said where `what` is kept in the file `place` until the lock goes that `why` tells
    /// of: nothing went wrong, so it is not an error.
    public static CliException kept(CliException why, String what, String place) {
        CliException kept =
                new CliException(
                                why.code(),
                                "kept: "
                                        + what
                                        + " waits in "
                                        + place
                                        + " and is applied when the lock is lifted; do not repeat"
                                        + " it",
                                why)
                        .hint(String.valueOf(why.getMessage()))
                        .asState();
        why.details().forEach(kept::detail);
        return kept.detail("kept_in", Json.of(place));
    }

    private static Optional<CliException> frozen(Invocation call, Lock lock) {
        return Standstill.by(call, lock).map(Standstill::told);
    }

    /// Tells the event log, or the embargo's, that a lock kept the command from something.
    public static void report(Invocation call, WithheldException e) {
        try (OpenHive hive = TypedHive.open(call)) {
            hive.transport().report(e);
        } catch (IOException | CliException | ProblemException failed) {
            // Whoever typed it is told all the same.
        }
    }

    /// Whether it is not a person's lock, but what somebody is at work on.
    public static boolean isScope(Lock lock) {
        return lock.source().equals(ScopeCheck.SCOPE)
                || lock.source().equals(ScopeCheck.RESERVATION);
    }

    private static String hint(Lock lock, String reason) {
        if (LockEntry.isUnclear(lock.declaredIn(), reason)) {
            return "nobody knows what it was to lock, so everything is: fix or remove "
                    + lock.declaredIn();
        }
        if (lock.source().equals(ScopeCheck.SCOPE)) {
            return "claimed in "
                    + lock.declaredIn()
                    + "; it is free when that work is done or given back";
        }
        if (lock.source().equals(ScopeCheck.RESERVATION)) {
            return "reserved in "
                    + lock.declaredIn()
                    + "; it is free then, or when its holder drops it: rsm reserve --list";
        }
        return "declared in " + lock.declaredIn() + "; a person set it, and a person lifts it";
    }
}
