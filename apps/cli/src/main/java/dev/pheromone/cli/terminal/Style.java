package dev.pheromone.cli.terminal;

/// How a piece of text stands out on a terminal.
public enum Style {
    PLAIN(""),
    BOLD("1"),
    DIM("2"),
    RED("31"),
    GREEN("32"),
    YELLOW("33");

    private final String code;

    Style(String code) {
        this.code = code;
    }

    /// `text` in this style, if `colour` is wanted.
    public String apply(String text, boolean colour) {
        return !colour || this == PLAIN ? text : "\u001b[" + code + "m" + text + "\u001b[0m";
    }
}
