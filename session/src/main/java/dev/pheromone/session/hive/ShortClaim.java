package dev.pheromone.session.hive;

import dev.pheromone.envelope.EnvelopeId;

import java.util.Optional;

/// A claim as people type it: the last characters of the envelope's id; the attempt, if it is not
/// the first; and the last characters of the claim's whole name, if its holder had a claim of that
/// attempt before: `k3f9x2`, `k3f9x2.2`, `k3f9x2.2.4f7a1b`.
///
/// A lease that was lost counts, so the next claim has another attempt. A release does not count.
///
/// @param end how the claim's whole name ends; empty if that was not typed
record ShortClaim(String id, int attempt, String end) {

    private static final int DIGITS_MAX = 4;
    private static final int END_LENGTH = 6;

    /// The name of this attempt at this envelope.
    static String of(EnvelopeId id, int attempt) {
        return attempt == 1 ? id.shortForm() : id.shortForm() + "." + attempt;
    }

    /// The name of this claim alone, whatever its holder had before.
    static String exact(EnvelopeId id, int attempt, String token) {
        return id.shortForm()
                + "."
                + attempt
                + "."
                + token.substring(Math.max(0, token.length() - END_LENGTH));
    }

    /// What was typed, if it names an attempt in this way; empty for an id alone, and for the whole
    /// name of a claim.
    static Optional<ShortClaim> parse(String typed) {
        String[] parts = typed.split("\\.", -1);
        if (parts.length < 2 || parts.length > 3) {
            return Optional.empty();
        }
        String number = parts[1];
        String end = parts.length == 3 ? parts[2] : "";
        boolean isEnd = parts.length == 2 || end.length() == END_LENGTH;
        boolean isNumber =
                !number.isEmpty()
                        && number.length() <= DIGITS_MAX
                        && number.chars().allMatch(c -> c >= '0' && c <= '9');
        return isEnd && isNumber
                ? Optional.of(new ShortClaim(parts[0], Integer.parseInt(number), end))
                : Optional.empty();
    }

    /// Whether the claim `token` of this attempt is meant.
    boolean fits(int attemptOfClaim, String token) {
        return attempt == attemptOfClaim && token.endsWith(end);
    }

    /// Whether no other claim can be meant.
    boolean isExact() {
        return !end.isEmpty();
    }

    /// Whether `typed` is the whole name of a claim.
    static boolean isWhole(String typed) {
        return typed.indexOf('.') >= 0 && parse(typed).isEmpty();
    }
}
