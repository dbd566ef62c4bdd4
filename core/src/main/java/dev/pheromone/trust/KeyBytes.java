package dev.pheromone.trust;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.HexFormat;

/// The raw bytes of a public key or a shared secret; never shown in messages.
public final class KeyBytes {

    private final byte[] bytes;

    private KeyBytes(byte[] bytes) {
        this.bytes = bytes;
    }

    /// A copy of `bytes`.
    public static KeyBytes of(byte[] bytes) {
        return new KeyBytes(bytes.clone());
    }

    /// Parses lower-case hexadecimal digits.
    public static KeyBytes parseHex(String hex) {
        boolean valid = hex.length() % 2 == 0;
        for (int i = 0; valid && i < hex.length(); i++) {
            char c = hex.charAt(i);
            valid = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
        }
        if (!valid) {
            throw new IllegalArgumentException(
                    "key: found other characters, expected lower-case hexadecimal digits");
        }
        return new KeyBytes(HexFormat.of().parseHex(hex));
    }

    /// How many bytes there are.
    public int length() {
        return bytes.length;
    }

    /// The bytes in lower-case hexadecimal: handle with care.
    public String toHex() {
        return HexFormat.of().formatHex(bytes);
    }

    /// A copy of them: handle with care.
    public byte[] copy() {
        return bytes.clone();
    }

    byte[] bytes() {
        return bytes;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof KeyBytes key && Arrays.equals(bytes, key.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return bytes.length + " bytes";
    }
}
