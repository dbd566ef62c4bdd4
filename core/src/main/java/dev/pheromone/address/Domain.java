package dev.pheromone.address;

import java.util.Optional;

/// The name of one inbox, and so of its folder: `code`, `user-you`, `worker-claude-7f3a`.
///
/// Lower-case letters, digits, `_` and `-`, beginning with a letter or digit; nothing that could
/// leave the inbox folder, and nothing that no address names: every inbox in hand has one.
public record Domain(String name) implements Comparable<Domain> {

    /// 64 characters of an address plus the longest prefix, `worker-`.
    private static final int LENGTH_MAX = 64 + "worker-".length();

    public Domain {
        if (name.length() > LENGTH_MAX || !isName(name)) {
            throw new IllegalArgumentException(
                    "inbox: found \""
                            + name
                            + "\", expected lower-case letters, digits, dashes or underscores,"
                            + " beginning with a letter or digit");
        }
        var _ = addressOf(name);
    }

    /// The inbox of that name; fails on what is no name.
    public static Domain parse(String text) {
        return new Domain(text);
    }

    /// The inbox of that name; empty if no inbox can have it.
    public static Optional<Domain> find(String text) {
        try {
            return Optional.of(new Domain(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /// Whether `text` is `[a-z0-9][a-z0-9_-]*`.
    public static boolean isName(String text) {
        if (text.isEmpty() || text.charAt(0) == '-' || text.charAt(0) == '_') {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-')) {
                return false;
            }
        }
        return true;
    }

    /// The address that a person would type to reach this inbox.
    public Address address() {
        return addressOf(name);
    }

    /// Fails on a name that belongs to no address: `lane-x`, or `user-` without a user.
    private static Address addressOf(String name) {
        if (name.startsWith(Address.User.PREFIX)) {
            return new Address.User(name.substring(Address.User.PREFIX.length()));
        }
        if (name.startsWith(Address.Worker.PREFIX)) {
            return new Address.Worker(name.substring(Address.Worker.PREFIX.length()));
        }
        return new Address.Queen(name);
    }

    @Override
    public int compareTo(Domain other) {
        return name.compareTo(other.name);
    }

    @Override
    public String toString() {
        return name;
    }
}
