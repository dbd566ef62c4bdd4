package dev.pheromone.trust;

/// Whether a hive takes mail that nobody signed.
public enum SignaturePolicy {
    /// It does, except from actors that have a key.
    OPTIONAL,
    /// It does not.
    REQUIRED;

    /// The policy of that name; fails on any other text.
    public static SignaturePolicy parse(String text) {
        return switch (text) {
            case "optional" -> OPTIONAL;
            case "required" -> REQUIRED;
            default ->
                    throw new IllegalArgumentException(
                            "signatures: found \"" + text + "\", expected optional or required");
        };
    }
}
