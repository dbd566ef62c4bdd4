package dev.pheromone.envelope;

import java.util.HexFormat;

/// Who vouches for an envelope: `ed25519-<128 hex>` or `hmac-<64 hex>`.
public sealed interface Signature {

    /// The ways to sign; the text is what headers, keys and the signed bytes say.
    enum Algorithm {
        /// A private and a public key, as in RFC 8032.
        ED25519("ed25519", 64),
        /// A shared secret, with SHA-256.
        HMAC("hmac", 32);

        private final String text;
        private final int signatureBytes;

        Algorithm(String text, int signatureBytes) {
            this.text = text;
            this.signatureBytes = signatureBytes;
        }

        /// The algorithm of that name; fails on any other text.
        public static Algorithm parse(String text) {
            for (Algorithm algorithm : values()) {
                if (algorithm.text.equals(text)) {
                    return algorithm;
                }
            }
            throw new IllegalArgumentException(
                    "algorithm: found \"" + text + "\", expected ed25519 or hmac");
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /// What is signed besides envelopes. It is part of what a signature covers: one that was made
    /// for this says nothing for that.
    enum Purpose {
        /// A person's leave to write in spite of a lock.
        OVERRIDE("RSM-OVERRIDE-v1"),

        /// What a receiver says became of mail.
        RECEIPT("RSM-RECEIPT-v1"),

        /// That whoever types a command holds a person's key.
        AUTHORITY("RSM-AUTHORITY-v1");

        private final String prefix;

        Purpose(String prefix) {
            this.prefix = prefix;
        }

        /// The first line of the bytes that are signed.
        String prefix() {
            return prefix;
        }
    }

    /// Made with a private key, checked with the public one.
    record Ed25519(String hex) implements Signature {
        public Ed25519 {
            checkHex(Algorithm.ED25519, hex);
        }

        @Override
        public Algorithm algorithm() {
            return Algorithm.ED25519;
        }

        @Override
        public String toString() {
            return algorithm() + "-" + hex;
        }
    }

    /// HMAC-SHA-256: made and checked with the same secret.
    record Hmac(String hex) implements Signature {
        public Hmac {
            checkHex(Algorithm.HMAC, hex);
        }

        @Override
        public Algorithm algorithm() {
            return Algorithm.HMAC;
        }

        @Override
        public String toString() {
            return algorithm() + "-" + hex;
        }
    }

    /// The signature's bytes in lower-case hexadecimal.
    String hex();

    /// How it was made.
    Algorithm algorithm();

    /// Reads the text of a header's `sig`; fails on anything else.
    static Signature parse(String text) {
        int dash = text.indexOf('-');
        if (dash < 0) {
            throw new IllegalArgumentException(
                    "signature: found no algorithm, expected ed25519-<128 hex> or hmac-<64 hex>");
        }
        return of(Algorithm.parse(text.substring(0, dash)), text.substring(dash + 1));
    }

    private static Signature of(Algorithm algorithm, String hex) {
        return switch (algorithm) {
            case ED25519 -> new Ed25519(hex);
            case HMAC -> new Hmac(hex);
        };
    }

    /// A signature of these bytes, whose number the algorithm fixes.
    static Signature of(Algorithm algorithm, byte[] bytes) {
        return of(algorithm, HexFormat.of().formatHex(bytes));
    }

    /// The signature's bytes.
    default byte[] bytes() {
        return HexFormat.of().parseHex(hex());
    }

    private static void checkHex(Algorithm algorithm, String hex) {
        int digits = 2 * algorithm.signatureBytes;
        if (hex.length() != digits || !AsciiSet.HEX.containsAll(hex)) {
            throw new IllegalArgumentException(
                    "signature: found "
                            + hex.length()
                            + " characters after "
                            + algorithm
                            + "-, expected "
                            + digits
                            + " lower-case hexadecimal digits");
        }
    }
}
