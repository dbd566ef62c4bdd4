package dev.pheromone.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A session as text: prose at the margin, and indented by two the commands with what they print.
///
///     Nobody is written to by mistake.
///
///       $ rsm send --to cdoe -
///       > please look
///       ! rsm: error: no inbox queen://cdoe; nothing was sent
///       [6]
///
/// `$` is a command, `>` its standard input, `!` a line on standard error, `[6]` the exit code if it is not 0, `...`
/// any lines, all else a line on standard output.
record Script(List<Step> steps) {

    /// One command and what it is to print.
    ///
    /// @param lineNumber where in the script it stands
    record Step(
            int lineNumber,
            String command,
            String input,
            List<String> out,
            List<String> err,
            int exit) {}

    private static final String INDENT = "  ";
    private static final Pattern EXIT = Pattern.compile("\\[(\\d+)]");

    static Script parse(String text) {
        List<Step> steps = new ArrayList<>();
        List<String> lines = text.lines().toList();
        int at = 0;
        while (at < lines.size()) {
            if (lines.get(at).startsWith(INDENT + "$ ")) {
                int end = at + 1;
                while (end < lines.size() && !endsStep(lines.get(end))) {
                    end++;
                }
                steps.add(step(at + 1, lines.subList(at, end)));
                at = end;
            } else if (lines.get(at).startsWith(INDENT)) {
                throw new IllegalArgumentException(
                        "line " + (at + 1) + ": found output without a command");
            } else {
                at++;
            }
        }
        return new Script(steps);
    }

    private static boolean endsStep(String line) {
        return line.startsWith(INDENT + "$ ") || (!line.isBlank() && !line.startsWith(INDENT));
    }

    private static Step step(int lineNumber, List<String> lines) {
        StringBuilder input = new StringBuilder();
        List<String> out = new ArrayList<>();
        List<String> err = new ArrayList<>();
        int exit = 0;
        for (String indented : lines.subList(1, lines.size())) {
            String line = indented.isBlank() ? "" : indented.substring(INDENT.length());
            Matcher code = EXIT.matcher(line);
            if (line.startsWith("> ") || line.equals(">")) {
                input.append(line.substring(Math.min(2, line.length()))).append('\n');
            } else if (line.startsWith("! ")) {
                err.add(line.substring(2));
            } else if (code.matches()) {
                exit = Integer.parseInt(code.group(1));
            } else {
                out.add(line);
            }
        }
        // Empty lines before the next piece of prose belong to the prose.
        while (!out.isEmpty() && out.getLast().isEmpty()) {
            out.removeLast();
        }
        return new Step(
                lineNumber,
                lines.getFirst().substring(INDENT.length() + 2),
                input.toString(),
                out,
                err,
                exit);
    }
}
