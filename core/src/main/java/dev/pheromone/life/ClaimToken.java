package dev.pheromone.life;

import dev.pheromone.address.Actor;
import dev.pheromone.envelope.EnvelopeId;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/// The name of a claim, which whoever renews or ends the claim must show:
/// `<id>.<attempt>.<worker>.<claimed-ms>.<lease-s>.<tag>`.
///
/// The tag is random, so that no two claims have one name. The tag of an attended claim begins with
/// the name of its attendant, the lock file of the process that made the claim.
///
/// @param claimedAt to the millisecond
/// @param lease to the second
public record ClaimToken(
        EnvelopeId id, int attempt, Actor worker, Instant claimedAt, Duration lease, String tag) {

    /// With which the tag of an attended claim begins, and that of no other.
    public static final char ATTENDED = 'w';

    /// The attempt of whoever moves a copy without taking up its work.
    public static final int NO_ATTEMPT = 0;

    private static final int ATTENDANT_LENGTH = 9;
    private static final int NUMBER_LENGTH_MAX = 15;

    public ClaimToken {
        if (!isTag(tag)) {
            throw new IllegalArgumentException(
                    "tag: found \"" + tag + "\", expected digits and small letters");
        }
        claimedAt = claimedAt.truncatedTo(ChronoUnit.MILLIS);
        lease = lease.truncatedTo(ChronoUnit.SECONDS);
    }

    /// The claim of that name; fails on any other text.
    public static ClaimToken parse(String text) {
        return find(text)
                .orElseThrow(() ->
                        new IllegalArgumentException(
                                "claim: found \""
                                        + text
                                        + "\", expected id.attempt.worker.claimed.lease.tag as"
                                        + " select gave it"));
    }

    /// The claim of that name; empty if it is no claim's, as most names found in folders are.
    public static Optional<ClaimToken> find(String text) {
        int afterId = text.indexOf('.');
        int afterAttempt = text.indexOf('.', afterId + 1);
        int beforeTag = text.lastIndexOf('.');
        int beforeLease = text.lastIndexOf('.', beforeTag - 1);
        int beforeClaimed = text.lastIndexOf('.', beforeLease - 1);
        // The worker stands in the middle because it alone may contain dots.
        if (afterId < 0 || afterAttempt < 0 || beforeClaimed <= afterAttempt) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    new ClaimToken(
                            EnvelopeId.parse(text.substring(0, afterId)),
                            Math.toIntExact(number(text.substring(afterId + 1, afterAttempt))),
                            Actor.parse(text.substring(afterAttempt + 1, beforeClaimed)),
                            Instant.ofEpochMilli(
                                    number(text.substring(beforeClaimed + 1, beforeLease))),
                            Duration.ofSeconds(number(text.substring(beforeLease + 1, beforeTag))),
                            text.substring(beforeTag + 1)));
        } catch (IllegalArgumentException | ArithmeticException e) {
            return Optional.empty();
        }
    }

    /// The id of the copy that a claim is of, also of a claim by version 0.1 on a NATS server,
    /// whose name says less; empty if there is none.
    public static Optional<EnvelopeId> idOf(String text) {
        int end = text.indexOf('.');
        return end > 0 && EnvelopeId.isId(text.substring(0, end))
                ? Optional.of(EnvelopeId.parse(text.substring(0, end)))
                : Optional.empty();
    }

    /// The number of the attempt that a claim is for, as [#idOf] has it; 0 if there is none.
    public static int attemptOf(String text) {
        int from = text.indexOf('.') + 1;
        int to = text.indexOf('.', from);
        try {
            return from == 0 || to < 0 ? 0 : Math.toIntExact(number(text.substring(from, to)));
        } catch (IllegalArgumentException | ArithmeticException e) {
            return 0;
        }
    }

    private static long number(String digits) {
        if (digits.isEmpty() || digits.length() > NUMBER_LENGTH_MAX) {
            throw new IllegalArgumentException("found \"" + digits + "\", expected a number");
        }
        long value = 0;
        for (int i = 0; i < digits.length(); i++) {
            char c = digits.charAt(i);
            if (c < '0' || c > '9') {
                throw new IllegalArgumentException("found \"" + digits + "\", expected a number");
            }
            value = value * 10 + (c - '0');
        }
        return value;
    }

    private static boolean isTag(String text) {
        return !text.isEmpty()
                && text.chars().allMatch(c -> (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'));
    }

    /// The process that must be alive for this claim to hold, if the claim is attended.
    public Optional<String> attendant() {
        return tag.charAt(0) == ATTENDED && tag.length() > ATTENDANT_LENGTH
                ? Optional.of(tag.substring(0, ATTENDANT_LENGTH))
                : Optional.empty();
    }

    /// The later of claim and last sign of life, plus the lease. A sign of life from before the
    /// claim (the sender's own write) or from the future counts for nothing.
    ///
    /// A claim from the future was made by a process whose clock is ahead: such a claim counts from
    /// `changed`, when the store last changed the copy, which is the claim or a later renewal.
    public Instant leaseEndsAt(Instant lastSign, Instant changed, Instant now) {
        boolean isAhead = claimedAt.isAfter(now) && !changed.isAfter(now);
        Instant begun = isAhead ? changed : claimedAt;
        boolean counts = lastSign.isAfter(begun) && !lastSign.isAfter(now);
        return (counts ? lastSign : begun).plus(lease);
    }

    /// Whether this claim was made before `other`; tags decide where the times are equal.
    public boolean isOlderThan(ClaimToken other) {
        int order = claimedAt.compareTo(other.claimedAt);
        return order != 0 ? order < 0 : tag.compareTo(other.tag) < 0;
    }

    @Override
    public String toString() {
        return id
                + "."
                + attempt
                + "."
                + worker
                + "."
                + claimedAt.toEpochMilli()
                + "."
                + lease.toSeconds()
                + "."
                + tag;
    }
}
