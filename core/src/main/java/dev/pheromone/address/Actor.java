package dev.pheromone.address;

/// The name of whoever sends, takes or signs: a person, an agent, a tool.
///
/// Letters, digits, `.`, `_` and `-`, at most 64, beginning with a letter or a digit: it becomes
/// part of file names.
public record Actor(String name) {

    private static final int LENGTH_MAX = 64;

    public Actor {
        if (!isValid(name)) {
            throw new IllegalArgumentException(
                    "actor: found \""
                            + name
                            + "\", expected 1 to 64 letters, digits, dots, dashes or underscores,"
                            + " beginning with a letter or digit");
        }
    }

    /// The actor of that name; fails on what is no name.
    public static Actor parse(String text) {
        return new Actor(text);
    }

    /// Whether `name` could be an actor; keys are named by the same rule.
    public static boolean isValid(String name) {
        if (name.isEmpty() || name.length() > LENGTH_MAX || !isAlphanumeric(name.charAt(0))) {
            return false;
        }
        for (int i = 1; i < name.length(); i++) {
            char c = name.charAt(i);
            if (!isAlphanumeric(c) && c != '.' && c != '_' && c != '-') {
                return false;
            }
        }
        return true;
    }

    /// Whether the two names look like one, though they need not be equal: `alice`, `Alice`,
    /// `al-ice`, `a1ice` and `aIice` do. Trust compares names so, because people do.
    public boolean resembles(Actor other) {
        return likeness().equals(other.likeness());
    }

    /// The name in lower case and without dots, dashes and underscores, with letters in place of
    /// the digits that look like them. A capital i looks like an l, so that i and l count as one.
    private String likeness() {
        StringBuilder folded = new StringBuilder(name.length());
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            switch (c) {
                case '.', '_', '-' -> {}
                case '0' -> folded.append('o');
                case '1', 'i', 'I' -> folded.append('l');
                default -> folded.append(c >= 'A' && c <= 'Z' ? (char) (c - 'A' + 'a') : c);
            }
        }
        return folded.toString();
    }

    private static boolean isAlphanumeric(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }

    @Override
    public String toString() {
        return name;
    }
}
