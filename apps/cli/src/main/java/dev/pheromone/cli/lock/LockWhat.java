package dev.pheromone.cli.lock;

import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.guard.LockKind;
import dev.pheromone.session.HiveLocks;
import dev.pheromone.session.hive.TypedPattern;

import org.jspecify.annotations.Nullable;

import java.util.List;

/// What a lock is on, as it is typed: the hive, what a pattern covers, or its own guard.
///
/// @param kind how files are locked; null for the others
record LockWhat(String word, @Nullable LockKind kind) {

    static final String HIVE = HiveLocks.HIVE;
    static final String TRUST_GUARD = "trust-guard";

    private static final String DO_NOT_READ = "do-not-read";

    static final List<String> LIFTABLE =
            List.of(
                    HIVE,
                    LockKind.DNR.toString(),
                    DO_NOT_READ,
                    LockKind.DO_NOT_ALTER.toString(),
                    LockKind.DO_NOT_ERASE.toString());

    static final List<String> LOCKABLE =
            List.of(
                    HIVE,
                    LockKind.DNR.toString(),
                    DO_NOT_READ,
                    LockKind.DO_NOT_ALTER.toString(),
                    LockKind.DO_NOT_ERASE.toString(),
                    TRUST_GUARD);

    /// One of the words that the command takes.
    static LockWhat parse(String word) {
        if (word.equals(DO_NOT_READ)) {
            return new LockWhat(word, LockKind.DNR);
        }
        for (LockKind kind : LockKind.values()) {
            if (kind.toString().equals(word)) {
                return new LockWhat(word, kind);
            }
        }
        return new LockWhat(word, null);
    }

    boolean isHive() {
        return word.equals(HIVE);
    }

    void refusePattern(Invocation call) {
        String pattern = call.args().operand(1);
        if (pattern != null) {
            throw new CliException(
                            ErrorCode.USAGE, word + " takes no PATTERN, found \"" + pattern + "\"")
                    .hint("to lock files, say how:")
                    .fix("rsm lock do-not-alter " + pattern);
        }
    }

    /// The pattern that was typed, as lists have it: relative to the hive root.
    static String pattern(Invocation call, HiveLayout layout) {
        String typed = call.args().operand(1);
        if (typed == null || typed.isBlank()) {
            CliException none =
                    new CliException(
                            ErrorCode.USAGE,
                            "found no PATTERN, expected a path below the hive root or a glob");
            throw typed == null
                    ? none.fix(call.line().plus("src/keys").toString())
                    : none.hint("such as src/keys, or \"**/*.pem\"");
        }
        return TypedPattern.of(typed, layout);
    }
}
