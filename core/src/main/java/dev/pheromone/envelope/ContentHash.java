package dev.pheromone.envelope;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// The SHA-256 of some bytes, as 64 lower-case hexadecimal digits.
public record ContentHash(String hex) {

    private static final int DIGITS = 64;
    private static final String PREFIX = "sha256:";

    /// The specification shows both forms; we write the first and read both.
    private static final String OTHER_PREFIX = "sha256-";

    public ContentHash {
        if (hex.length() != DIGITS || !AsciiSet.HEX.containsAll(hex)) {
            throw new IllegalArgumentException(
                    "hash: found \"" + hex + "\", expected 64 lower-case hexadecimal digits");
        }
    }

    /// The hash of all of `bytes`.
    public static ContentHash of(byte[] bytes) {
        return of(bytes, 0, bytes.length);
    }

    /// The hash of a part of `bytes`.
    public static ContentHash of(byte[] bytes, int offset, int length) {
        MessageDigest digest = sha256();
        digest.update(bytes, offset, length);
        return new ContentHash(HexFormat.of().formatHex(digest.digest()));
    }

    /// Reads what stands in a header; fails on anything else.
    public static ContentHash parse(String text) {
        if (!text.startsWith(PREFIX) && !text.startsWith(OTHER_PREFIX)) {
            throw new IllegalArgumentException(
                    "hash: found \"" + text + "\", expected sha256: and 64 digits");
        }
        return new ContentHash(text.substring(PREFIX.length()));
    }

    /// A fresh digest, for content that comes in pieces.
    public static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return PREFIX + hex;
    }
}
