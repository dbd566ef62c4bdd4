package dev.pheromone.file;

import dev.pheromone.Actor;
import dev.pheromone.EnvelopeId;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Stat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The name of a claimed envelope's file, which is all that a claim is:
/// `<id>.<attempt>.<worker>.<claimed-ms>.<lease-s>.<tag>`, with `.md` behind it on disk.
///
/// The tag is random. An attended claim's tag begins with the name of its attendant, the lock file
/// of the process that made it.
record ClaimName(
        EnvelopeId id, int attempt, Actor worker, Instant claimedAt, Duration lease, String tag) {

    static final char ATTENDED = 'w';

    /// The attempt of whoever moves a file without taking up its work.
    static final int NO_ATTEMPT = 0;

    private static final int ATTENDANT_LENGTH = 9;
    private static final int NUMBER_LENGTH_MAX = 15;

    /// The claim that `fileName` stands for; empty if it is no claim's name.
    static Optional<ClaimName> parse(String fileName) {
        String text =
                fileName.endsWith(HiveLayout.MAIL_SUFFIX)
                        ? fileName.substring(0, fileName.length() - HiveLayout.MAIL_SUFFIX.length())
                        : fileName;
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
                    new ClaimName(
                            EnvelopeId.parse(text.substring(0, afterId)),
                            Math.toIntExact(number(text.substring(afterId + 1, afterAttempt))),
                            Actor.parse(text.substring(afterAttempt + 1, beforeClaimed)),
                            Instant.ofEpochMilli(
                                    number(text.substring(beforeClaimed + 1, beforeLease))),
                            Duration.ofSeconds(number(text.substring(beforeLease + 1, beforeTag))),
                            tag(text.substring(beforeTag + 1))));
        } catch (IllegalArgumentException | ArithmeticException e) {
            return Optional.empty();
        }
    }

    /// The claims in a folder; names that are none are passed over.
    static List<ClaimName> list(Disk files, Path folder) throws IOException {
        List<ClaimName> claims = new ArrayList<>();
        for (Path entry : files.list(folder)) {
            parse(String.valueOf(entry.getFileName())).ifPresent(claims::add);
        }
        return claims;
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

    private static String tag(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'))) {
                throw new IllegalArgumentException(
                        "found tag \"" + text + "\", expected digits and small letters");
            }
        }
        if (text.isEmpty()) {
            throw new IllegalArgumentException("found no tag");
        }
        return text;
    }

    /// The process that must be alive for this claim to hold, if it is attended.
    Optional<String> attendant() {
        return tag.charAt(0) == ATTENDED && tag.length() > ATTENDANT_LENGTH
                ? Optional.of(tag.substring(0, ATTENDANT_LENGTH))
                : Optional.empty();
    }

    /// The later of claim and last sign of life, plus the lease. A sign of life from before the
    /// claim (the sender's own write) or from the future counts for nothing.
    Instant leaseEndsAt(Stat file, Instant now) {
        return leaseEndsAt(file, file.modified(), now);
    }

    /// As above, with another last sign of life than the file's own. A claim from the future was
    /// made by a process whose clock is ahead: it counts from when the kernel last saw the file
    /// change, which is its claim or a later renewal.
    Instant leaseEndsAt(Stat file, Instant lastTouched, Instant now) {
        boolean isAhead = claimedAt.isAfter(now) && !file.changed().isAfter(now);
        Instant begun = isAhead ? file.changed() : claimedAt;
        boolean counts = lastTouched.isAfter(begun) && !lastTouched.isAfter(now);
        return (counts ? lastTouched : begun).plus(lease);
    }

    boolean isOlderThan(ClaimName other) {
        int order = claimedAt.compareTo(other.claimedAt);
        return order != 0 ? order < 0 : tag.compareTo(other.tag) < 0;
    }

    /// Names the claim to whoever settles it.
    String token() {
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

    String fileName() {
        return token() + HiveLayout.MAIL_SUFFIX;
    }
}
