package dev.pheromone;

import java.util.regex.Pattern;

/// Texts that leave the machine: what looks like a path of it is left out.
public final class Discreet {

    private static final String MARK = "[path]";

    /// Longer reasons help nobody.
    private static final int LENGTH_MAX = 300;

    /// An absolute path, or one into a hive, at the beginning of a word.
    private static final Pattern PATH =
            Pattern.compile(
                    "(?<![^\\s\"'(\\[=:])(?:[A-Za-z]:[\\\\/]|/(?!/)|\\\\\\\\|\\.(?:deia|embargo)[\\\\/])"
                        + "[^\\s\"'()\\[\\],;]*");

    private Discreet() {}

    /// The text without what looks like a path, and no longer than helps.
    public static String text(String text) {
        String cut = text.length() > LENGTH_MAX ? text.substring(0, LENGTH_MAX) + "…" : text;
        return PATH.matcher(cut).replaceAll(MARK);
    }
}
