package dev.pheromone.cli.terminal;

import java.util.ArrayList;
import java.util.List;

/// Rows under headings, in columns of equal width, made to fit the terminal.
///
/// Cells are foreign text: each is escaped here, so that no caller can forget it.
public final class Table {

    private static final int GAP = 2;

    /// A column is not cut below this: less says nothing.
    private static final int COLUMN_WIDTH_MIN = 8;

    /// One cell and how it looks.
    public record Cell(String text, Style style) {
        public Cell {
            text = SafeText.line(text);
        }

        public static Cell of(String text) {
            return new Cell(text, Style.PLAIN);
        }
    }

    private final List<String> headings;
    private final List<List<Cell>> rows = new ArrayList<>();

    public Table(String... headings) {
        this.headings = List.of(headings);
    }

    public Table row(Cell... cells) {
        if (cells.length != headings.size()) {
            throw new IllegalArgumentException(
                    "table row has " + cells.length + " cells, expected " + headings.size());
        }
        rows.add(List.of(cells));
        return this;
    }

    public Table row(String... texts) {
        Cell[] cells = new Cell[texts.length];
        for (int i = 0; i < texts.length; i++) {
            cells[i] = Cell.of(texts[i]);
        }
        return row(cells);
    }

    public boolean isEmpty() {
        return rows.isEmpty();
    }

    /// The lines of this table, at most `columns` wide where that is possible without losing a
    /// column.
    public List<String> lines(int columns, boolean colour) {
        int[] widths = widths(columns);
        List<String> lines = new ArrayList<>();
        List<Cell> top = new ArrayList<>();
        for (String heading : headings) {
            top.add(new Cell(heading, Style.DIM));
        }
        lines.add(line(top, widths, colour));
        for (List<Cell> row : rows) {
            lines.add(line(row, widths, colour));
        }
        return lines;
    }

    private int[] widths(int columns) {
        int[] widths = new int[headings.size()];
        for (int i = 0; i < widths.length; i++) {
            widths[i] = TextWidth.of(headings.get(i));
            for (List<Cell> row : rows) {
                widths[i] = Math.max(widths[i], TextWidth.of(row.get(i).text()));
            }
        }
        long excess = -(long) columns - GAP;
        for (int width : widths) {
            excess += width + GAP;
        }
        while (excess > 0) {
            int widest = 0;
            for (int i = 1; i < widths.length; i++) {
                widest = widths[i] > widths[widest] ? i : widest;
            }
            if (widths[widest] <= COLUMN_WIDTH_MIN) {
                break;
            }
            widths[widest]--;
            excess--;
        }
        return widths;
    }

    private static String line(List<Cell> cells, int[] widths, boolean colour) {
        StringBuilder line = new StringBuilder();
        int owed = 0;
        for (int i = 0; i < widths.length; i++) {
            Cell cell = cells.get(i);
            String text = TextWidth.cut(cell.text(), widths[i]);
            if (!text.isEmpty()) {
                line.append(" ".repeat(owed)).append(cell.style().apply(text, colour));
                owed = 0;
            }
            owed += widths[i] - TextWidth.of(text) + GAP;
        }
        return line.toString();
    }
}
