package dev.pheromone.mqtt;

import java.security.SecureRandom;
import java.util.HexFormat;

/// Names that nobody guesses: 128 random bits in lower-case hexadecimal.
final class Nonce {

    private static final int BYTES = 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    private Nonce() {}

    static String random() {
        byte[] bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
