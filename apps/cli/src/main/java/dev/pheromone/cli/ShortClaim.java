package dev.pheromone.cli;

import dev.pheromone.EnvelopeId;

import java.util.Optional;

/// A claim as people type it: the last characters of the envelope's id, and the attempt, if it is
/// not the first: `k3f9x2`, `k3f9x2.2`.
///
/// The attempt is what tells a claim from an earlier one of the same actor: a lease that was lost
/// counts, so the next claim has another number.
record ShortClaim(String id, int attempt) {

    private static final int DIGITS_MAX = 4;

    /// The name of this attempt at this envelope.
    static String of(EnvelopeId id, int attempt) {
        return attempt == 1 ? id.shortForm() : id.shortForm() + "." + attempt;
    }

    /// What was typed, if it names an attempt in this way; empty for an id alone, and for the whole
    /// name of a claim.
    static Optional<ShortClaim> parse(String typed) {
        int dot = typed.indexOf('.');
        String number = typed.substring(dot + 1);
        if (dot < 0 || number.isEmpty() || number.length() > DIGITS_MAX) {
            return Optional.empty();
        }
        int attempt = 0;
        for (int i = 0; i < number.length(); i++) {
            int digit = number.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return Optional.empty();
            }
            attempt = attempt * 10 + digit;
        }
        return Optional.of(new ShortClaim(typed.substring(0, dot), attempt));
    }

    /// Whether `typed` is the whole name of a claim.
    static boolean isWhole(String typed) {
        return typed.indexOf('.') >= 0 && parse(typed).isEmpty();
    }
}
