package dev.pheromone.lock;

import dev.pheromone.envelope.ContentHash;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.LockKind;

import org.jspecify.annotations.Nullable;

import java.time.Instant;

/// One entry of a lock list.
///
/// @param pattern what it covers, relative to the hive root; empty if only `hash` says it
/// @param hash the content that it covers wherever that lies
/// @param expires when it ends; null if never
/// @param declaredIn the list that has it, relative to the hive root
/// @param isDoubt whether it only stands for what a list may have said
public record LockEntry(
        LockKind kind,
        String pattern,
        @Nullable ContentHash hash,
        String reason,
        @Nullable Instant expires,
        String declaredIn,
        boolean isDoubt) {

    private static final String UNCLEAR = "what %s covers is unclear: ";

    /// Covers everything, because the list `declaredIn` can't be read or understood.
    static LockEntry unclear(String declaredIn, String problem) {
        return everything(declaredIn, UNCLEAR.formatted(declaredIn) + problem);
    }

    /// Whether something is locked only because a list can't be read or understood.
    public static boolean isUnclear(String declaredIn, String reason) {
        return reason.startsWith(UNCLEAR.formatted(declaredIn));
    }

    /// Covers everything, because a list does not say what it covers.
    static LockEntry everything(String declaredIn, String reason) {
        return new LockEntry(LockKind.DNR, "**", null, reason, null, declaredIn, true);
    }

    /// The end that `text` says: a time, or a day, which counts to its end.
    public static Instant parseExpires(String text) {
        return LockLists.parseExpires(text);
    }

    /// Whether it has not run out.
    public boolean isInForce(Instant now) {
        return expires == null || now.isBefore(expires);
    }

    Lock lock() {
        String covers = pattern.isEmpty() ? String.valueOf(hash) : pattern;
        return new Lock(kind, covers, isDoubt ? LockView.UNCERTAIN_SOURCE : declaredIn, declaredIn);
    }

    /// Why, as people are told.
    String told() {
        if (!reason.isEmpty()) {
            return reason;
        }
        return pattern.isEmpty() ? "content " + hash + " is locked" : pattern + " is locked";
    }
}
