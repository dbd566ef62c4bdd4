package dev.pheromone.cli.frame;

import org.jspecify.annotations.Nullable;

/// How many columns, and rows, there are to write in.
public final class TerminalWidth {

    /// For what is no terminal: a pipe or a file cuts nothing.
    static final int UNLIMITED = Integer.MAX_VALUE;

    private static final int USUAL = 80;
    private static final int LEAST = 20;
    private static final int USUAL_ROWS = 24;
    private static final int LEAST_ROWS = 4;

    private TerminalWidth() {}

    /// How large a terminal is.
    public record Size(int rows, int columns) {}

    public static int of(Surroundings surroundings) {
        String columns = surroundings.variable("COLUMNS");
        if (columns != null) {
            return parsed(columns, USUAL);
        }
        return surroundings.terminal().output() ? size(surroundings).columns() : UNLIMITED;
    }

    /// The size of the terminal as it is now.
    public static Size size(Surroundings surroundings) {
        // Shells do not export COLUMNS.
        String size = Stty.ask("size");
        int gap = size == null ? -1 : size.indexOf(' ');
        String rows =
                gap < 0 ? surroundings.variable("LINES") : String.valueOf(size).substring(0, gap);
        String columns =
                gap < 0
                        ? surroundings.variable("COLUMNS")
                        : String.valueOf(size).substring(gap + 1);
        return new Size(parsed(rows, USUAL_ROWS), parsed(columns, USUAL));
    }

    private static int parsed(@Nullable String text, int usual) {
        try {
            int count = text == null ? 0 : Integer.parseInt(text.strip());
            // A terminal that does not know its size says 0.
            return count < 1 ? usual : Math.max(usual == USUAL ? LEAST : LEAST_ROWS, count);
        } catch (NumberFormatException e) {
            return usual;
        }
    }
}
