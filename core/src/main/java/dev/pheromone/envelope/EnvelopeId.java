package dev.pheromone.envelope;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Instant;

/// What one envelope is called for ever: a ULID in upper case, or a UUID in lower case.
///
/// It becomes a file name, so nothing else is accepted. The time inside an id is never compared to
/// anything.
public record EnvelopeId(String text) implements Comparable<EnvelopeId> {

    private static final String CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    private static final AsciiSet CROCKFORD_SET = new AsciiSet(CROCKFORD);
    private static final int ULID_LENGTH = 26;
    private static final int ULID_BYTES = 16;
    private static final int UUID_LENGTH = 36;
    private static final int SHORT_LENGTH = 6;

    public EnvelopeId {
        if (!isUlid(text) && !isUuid(text)) {
            throw new IllegalArgumentException(
                    "id: found \""
                            + text
                            + "\", expected a ULID in upper case or a UUID in lower case");
        }
    }

    /// Reads an id; fails on anything else.
    public static EnvelopeId parse(String text) {
        return new EnvelopeId(text);
    }

    /// Whether `text` would parse; for names found in folders, where most of what is wrong is
    /// everyday.
    public static boolean isId(String text) {
        return isUlid(text) || isUuid(text);
    }

    /// A new ULID of time `now`.
    public static EnvelopeId random(Instant now) {
        byte[] bytes = new byte[ULID_BYTES];
        Entropy.SOURCE.nextBytes(bytes);
        long millis = now.toEpochMilli();
        for (int i = 5; i >= 0; i--) {
            bytes[i] = (byte) millis;
            millis >>>= 8;
        }
        return ofBytes(bytes);
    }

    /// The id of the one reply to `request` that work on its copy in `inbox` makes: the same each
    /// time, so that work done again after a crash can't answer twice.
    public static EnvelopeId ofReply(EnvelopeId request, Domain inbox) {
        return derived("RSM-REPLY-v1", inbox, request);
    }

    /// The id under which the copy of `old` that ended in `inbox` is sent anew: the same each time,
    /// so that trying twice sends one.
    public static EnvelopeId ofRetry(EnvelopeId old, Domain inbox) {
        return derived("RSM-RETRY-v1", inbox, old);
    }

    /// The id of the mail that `sender` calls `key`: the same each time, so that a sender who does
    /// not know whether mail was sent can send it again. A key is any text.
    public static EnvelopeId ofKey(Actor sender, String key) {
        return derived("RSM-KEY-v1\n" + sender.name() + "\n" + key + "\n");
    }

    private static EnvelopeId derived(String purpose, Domain inbox, EnvelopeId from) {
        return derived(purpose + "\n" + inbox + "\n" + from + "\n");
    }

    private static EnvelopeId derived(String source) {
        MessageDigest digest = ContentHash.sha256();
        digest.update(source.getBytes(StandardCharsets.UTF_8));
        byte[] bytes = new byte[ULID_BYTES];
        System.arraycopy(digest.digest(), 0, bytes, 0, ULID_BYTES);
        return ofBytes(bytes);
    }

    /// The last characters in lower case, enough for people to tell envelopes apart.
    public String shortForm() {
        return text.substring(text.length() - SHORT_LENGTH).toLowerCase(java.util.Locale.ROOT);
    }

    private static EnvelopeId ofBytes(byte[] bytes) {
        // 26 characters hold 130 bits: the first two are always zero, so the first character is at
        // most 7.
        StringBuilder text = new StringBuilder(ULID_LENGTH);
        for (int i = 0; i < ULID_LENGTH; i++) {
            int firstBit = i * 5 - 2;
            int value = 0;
            for (int bit = firstBit; bit < firstBit + 5; bit++) {
                int set = bit < 0 ? 0 : (bytes[bit >> 3] >> (7 - (bit & 7))) & 1;
                value = value << 1 | set;
            }
            text.append(CROCKFORD.charAt(value));
        }
        return new EnvelopeId(text.toString());
    }

    private static boolean isUlid(String text) {
        return text.length() == ULID_LENGTH
                && text.charAt(0) <= '7'
                && CROCKFORD_SET.containsAll(text);
    }

    private static boolean isUuid(String text) {
        if (text.length() != UUID_LENGTH) {
            return false;
        }
        for (int i = 0; i < UUID_LENGTH; i++) {
            char c = text.charAt(i);
            boolean dash = i == 8 || i == 13 || i == 18 || i == 23;
            if (dash ? c != '-' : !AsciiSet.HEX.contains(c)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int compareTo(EnvelopeId other) {
        return text.compareTo(other.text);
    }

    @Override
    public String toString() {
        return text;
    }

    /// Made on first use: a command that names no new envelope does not pay for it.
    private static final class Entropy {
        static final SecureRandom SOURCE = new SecureRandom();
    }
}
