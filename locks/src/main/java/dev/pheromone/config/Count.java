package dev.pheromone.config;

/// Whole numbers as configuration files write them: 1 to a million, and so many a minute.
final class Count {

    private static final int MAX = 1_000_000;
    private static final int DIGITS_MAX = 7;
    private static final String PER_MINUTE = "/m";

    private Count() {}

    static int parse(String text) {
        boolean valid = !text.isEmpty() && text.length() <= DIGITS_MAX;
        for (int i = 0; valid && i < text.length(); i++) {
            valid = text.charAt(i) >= '0' && text.charAt(i) <= '9';
        }
        int count = valid ? Integer.parseInt(text) : 0;
        if (count < 1 || count > MAX) {
            throw new IllegalArgumentException(
                    "count: found \"" + text + "\", expected a number from 1 to " + MAX);
        }
        return count;
    }

    /// Parses `60/m`.
    static int parsePerMinute(String text) {
        if (!text.endsWith(PER_MINUTE)) {
            throw new IllegalArgumentException(
                    "rate: found \"" + text + "\", expected a rate, for example 60/m");
        }
        return parse(text.substring(0, text.length() - PER_MINUTE.length()));
    }
}
