package dev.pheromone.hooks;

import static dev.pheromone.hooks.ShellTree.AssignmentKind.ITEMS;
import static dev.pheromone.hooks.ShellTree.AssignmentKind.MORE_ITEMS;
import static dev.pheromone.hooks.ShellTree.AssignmentKind.MORE_VALUE;
import static dev.pheromone.hooks.ShellTree.AssignmentKind.ONE_ITEM;
import static dev.pheromone.hooks.ShellTree.AssignmentKind.VALUE;

import java.util.ArrayList;
import java.util.List;

/// Reads `name=value` where a command may begin, and tells what it sets.
final class Assignments {
    private final Cursor cursor;
    private final WordReader words;

    Assignments(Cursor cursor, WordReader words) {
        this.cursor = cursor;
        this.words = words;
    }

    /// Adds the assignment that begins here; false if none does.
    boolean readInto(List<ShellTree.Assignment> assignments) throws ShellSyntaxException {
        String text = cursor.text;
        int at = WordReader.nameEnd(text, cursor.at);
        String name = text.substring(cursor.at, at);
        boolean element = at < text.length() && text.charAt(at) == '[' && text.indexOf(']', at) > 0;
        int sign = element ? text.indexOf(']', at) + 1 : at;
        boolean append = text.startsWith("+=", sign);
        if (name.isEmpty() || (!append && !text.startsWith("=", sign))) {
            return false;
        }
        if (element) {
            cursor.at = at + 1;
            add(assignments, name, ONE_ITEM, List.of(words.read()));
            return true;
        }
        cursor.at = sign + (append ? 2 : 1);
        if (cursor.take("(")) {
            add(assignments, name, append ? MORE_ITEMS : ITEMS, items());
        } else {
            boolean empty = cursor.atEnd() || " \t\r\n;&|<>)".indexOf(cursor.peek()) >= 0;
            Word value = empty ? Word.EMPTY : words.read();
            add(assignments, name, append ? MORE_VALUE : VALUE, List.of(value));
        }
        return true;
    }

    private static void add(
            List<ShellTree.Assignment> assignments,
            String name,
            ShellTree.AssignmentKind kind,
            List<Word> values) {
        assignments.add(new ShellTree.Assignment(name, kind, values));
    }

    private List<Word> items() throws ShellSyntaxException {
        var items = new ArrayList<Word>();
        while (true) {
            cursor.skipBlanks();
            if (cursor.take(")")) {
                return List.copyOf(items);
            }
            if (!cursor.take("\n")) {
                items.add(words.read());
            }
        }
    }

    /// The values that an assignment gives a variable that has been `old`.
    static List<Shape> values(ShellTree.Assignment assignment, Expansion expansion, List<Shape> old)
            throws ShellSyntaxException {
        return switch (assignment.kind()) {
            case VALUE -> List.of(expansion.text(assignment.values().getFirst()));
            case ITEMS -> expansion.fields(assignment.values());
            case MORE_VALUE -> {
                Shape more = expansion.text(assignment.values().getFirst());
                yield old.size() == 1 && !old.getFirst().hasGap()
                        ? List.of(Expansion.bounded(old.getFirst().plus(more)))
                        : List.of(Shape.UNKNOWN);
            }
            case MORE_ITEMS -> {
                var all = new ArrayList<>(old);
                all.addAll(expansion.fields(assignment.values()));
                yield List.copyOf(all);
            }
            case ONE_ITEM -> {
                Shape ignored = expansion.text(assignment.values().getFirst());
                yield List.of(ignored.isEmpty() ? Shape.EMPTY : Shape.UNKNOWN);
            }
        };
    }
}
