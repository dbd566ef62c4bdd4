package dev.pheromone.session.seat;

import dev.pheromone.envelope.ContentHash;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;

/// A text that nobody can guess, printed into a session with each ring. Only its hash is kept, so
/// that whoever reads the hive's files does not know it.
record Nonce(String text) {

    private static final int BYTES = 12;

    /// What stands before a nonce, and by what it is found again.
    static final String MARK = "ring ";

    static final int LENGTH = 2 * BYTES;

    private static final SecureRandom RANDOM = new SecureRandom();

    static Nonce random() {
        byte[] bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return new Nonce(HexFormat.of().formatHex(bytes));
    }

    String hash() {
        return ContentHash.of(text.getBytes(StandardCharsets.US_ASCII)).hex();
    }

    /// The nonce that begins at `from`, if one does.
    static boolean isAt(String text, int from) {
        if (from + LENGTH > text.length()) {
            return false;
        }
        for (int i = from; i < from + LENGTH; i++) {
            char c = text.charAt(i);
            if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) {
                return false;
            }
        }
        return true;
    }
}
