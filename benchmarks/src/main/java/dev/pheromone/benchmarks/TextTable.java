package dev.pheromone.benchmarks;

import dev.pheromone.benchmarks.Row.Goal;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The rows as Markdown, readable as they are too.
final class TextTable {

    private static final List<String> TITLES =
            List.of(
                    "benchmark",
                    "ours",
                    "median",
                    "compared with",
                    "median",
                    "ratio",
                    "middle half",
                    "rounds",
                    "goal",
                    "");

    private TextTable() {}

    static String of(List<Row> rows) {
        List<List<String>> cells = new ArrayList<>();
        cells.add(TITLES);
        for (Row row : rows) {
            cells.add(
                    switch (row) {
                        case Row.Measured measured -> cells(measured);
                        case Row.Figure(var name, var what, var figure, var goal, var met) ->
                                List.of(
                                        name,
                                        what,
                                        figure,
                                        "",
                                        "",
                                        "",
                                        "",
                                        "",
                                        goal,
                                        goal.isEmpty() ? "" : met ? "met" : "missed");
                        case Row.NotMeasured(var name, var reason) ->
                                List.of(name, reason, "", "", "", "", "", "", "", "not measured");
                    });
        }
        StringBuilder table = new StringBuilder();
        List<Integer> widths = widths(cells);
        for (int i = 0; i < cells.size(); i++) {
            appendLine(table, cells.get(i), widths);
            if (i == 0) {
                appendLine(table, widths.stream().map("-"::repeat).toList(), widths);
            }
        }
        return table.toString();
    }

    private static List<String> cells(Row.Measured row) {
        Duel duel = row.duel();
        Goal goal = row.goal();
        double one = goal.oriented(duel.ratios().lowerQuartile());
        double other = goal.oriented(duel.ratios().upperQuartile());
        return List.of(
                row.benchmark(),
                row.ours(),
                time(duel.ours().median()),
                row.peer(),
                time(duel.peer().median()),
                number(row.ratio()),
                number(Math.min(one, other)) + " to " + number(Math.max(one, other)),
                String.valueOf(duel.ratios().count()),
                goalText(goal),
                goal.bound() == null ? "" : row.isMet() ? "met" : "missed");
    }

    private static String goalText(Goal goal) {
        if (goal.bound() == null) {
            return "";
        }
        return (goal.reading() == Goal.Reading.SPEED ? "at least " : "at most ")
                + number(goal.bound());
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value < 10 ? "%.2f" : "%.1f", value);
    }

    private static String time(double nanos) {
        if (nanos < 1e3) {
            return String.format(Locale.ROOT, "%.0f ns", nanos);
        }
        if (nanos < 1e6) {
            return String.format(Locale.ROOT, nanos < 1e4 ? "%.2f µs" : "%.0f µs", nanos / 1e3);
        }
        return String.format(Locale.ROOT, nanos < 1e7 ? "%.2f ms" : "%.0f ms", nanos / 1e6);
    }

    private static List<Integer> widths(List<List<String>> cells) {
        List<Integer> widths = new ArrayList<>();
        for (int column = 0; column < TITLES.size(); column++) {
            int width = 1;
            for (List<String> row : cells) {
                width = Math.max(width, row.get(column).length());
            }
            widths.add(width);
        }
        return widths;
    }

    private static void appendLine(StringBuilder table, List<String> row, List<Integer> widths) {
        for (int column = 0; column < row.size(); column++) {
            table.append("| ").append(row.get(column));
            table.repeat(' ', widths.get(column) - row.get(column).length() + 1);
        }
        table.append("|\n");
    }
}
