package dev.pheromone.cli.terminal;

import dev.pheromone.text.ShownText;

/// Foreign text as it may be shown on a screen: what [ShownText] makes of it.
public final class SafeText {

    private SafeText() {}

    /// `text` on one line: line ends and tabs become `\n` and `\t`.
    public static String line(String text) {
        return ShownText.line(text);
    }

    /// `text` with its lines kept; CR LF becomes LF.
    public static String block(String text) {
        return ShownText.block(text);
    }
}
