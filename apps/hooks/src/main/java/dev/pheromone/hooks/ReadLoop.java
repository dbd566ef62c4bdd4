package dev.pheromone.hooks;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// `while read NAME` over a text that stands in the command, or over names that come through a
/// pipe: a loop over its lines.
record ReadLoop(String name, List<Shape> lines) {
    private static final int LINES_MAX = 64;

    /// The loop, if `condition` reads one variable and what it reads is known.
    static Optional<ReadLoop> of(ShellTree condition, ShellState state) {
        Shape text = state.text;
        List<Shape> input = text == null ? state.input : null;
        ShellTree only =
                condition instanceof ShellTree.Sequence(List<ShellTree> items) && items.size() == 1
                        ? items.getFirst()
                        : condition;
        boolean known = text != null && text.isPlain() && !text.isEmpty() && !text.contains('\\');
        if (!known && (input == null || input.stream().anyMatch(name -> name.contains('\\')))) {
            return Optional.empty();
        }
        if (!(only instanceof ShellTree.Simple(var assignments, var words, var redirects))
                || !redirects.isEmpty()
                || !assignments.stream().allMatch(one -> one.name().equals("IFS"))) {
            return Optional.empty();
        }
        boolean raw = words.size() == 3 && words.get(1).isBare("-r");
        if (!(raw || words.size() == 2) || !words.getFirst().isBare("read")) {
            return Optional.empty();
        }
        if (words.getLast().parts().size() != 1
                || !(words.getLast().parts().getFirst() instanceof Word.Bare(String name))
                || !WordReader.isName(name)) {
            return Optional.empty();
        }
        var lines = new ArrayList<Shape>();
        if (text != null) {
            for (String line : text.toString().split("\n", -1)) {
                lines.add(Shape.of(line.strip()));
            }
        } else if (input != null) {
            // One a line, or all in one.
            lines.addAll(input);
            lines.add(Builtins.joined(input));
        }
        return lines.size() > LINES_MAX
                ? Optional.empty()
                : Optional.of(new ReadLoop(name, List.copyOf(lines)));
    }
}
