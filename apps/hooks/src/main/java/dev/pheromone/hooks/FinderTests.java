package dev.pheromone.hooks;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// The tests of `find`, as far as they say which names it finds: `-name A -o -name B`, with one
/// pair of brackets, without some paths.
final class FinderTests {
    private static final List<Shape> ANY = List.of(Shape.ANY_NAME);
    private static final Set<String> OR = Set.of("-o", "-or");
    private static final Set<String> NOT = Set.of("!", "-not");
    private static final Set<String> NAMED = Set.of("-name", "-iname");

    /// Tests with one value; to leave out some of what is found changes nothing here.
    private static final Set<String> VALUED =
            Set.of("-name", "-iname", "-path", "-ipath", "-wholename", "-type", "-regex", "-size");

    private static final Set<String> ACTIONS =
            Set.of("-print", "-print0", "-delete", "-exec", "-execdir", "-ok", "-okdir");

    private FinderTests() {}

    /// The patterns of which a found name fits one.
    static List<Shape> names(List<Shape> arguments) {
        var names = new ArrayList<Shape>();
        int brackets = 0;
        boolean acts =
                arguments.stream().anyMatch(word -> ACTIONS.contains(word.toString()))
                        && arguments.stream().noneMatch(word -> word.is("("));
        var branch = new Branch();
        for (int i = 0; i < arguments.size(); i++) {
            String word = arguments.get(i).toString();
            boolean valued = VALUED.contains(word) && i + 1 < arguments.size();
            if (NOT.contains(word)) {
                if (i + 2 >= arguments.size()
                        || !VALUED.contains(arguments.get(i + 1).toString())) {
                    return ANY;
                }
                i += 2;
            } else if (word.equals(",") || (word.equals("(") && ++brackets > 1)) {
                return ANY;
            } else if (OR.contains(word)) {
                if (!branch.endsWith(names, acts)) {
                    return ANY;
                }
                branch = new Branch();
            } else if (valued) {
                branch.note(word, arguments.get(++i));
            } else {
                branch.prunes |= word.equals("-prune");
                branch.acts |= ACTIONS.contains(word);
                if (Finder.EXECUTING.contains(word)) {
                    i = Finder.endOfCommand(arguments, i + 1);
                }
            }
        }
        return branch.endsWith(names, acts) ? names : ANY;
    }

    /// The tests between two `-o`.
    private static final class Branch {
        private Shape name = Shape.EMPTY;
        private boolean prunes;
        private boolean acts;

        void note(String test, Shape value) {
            if (NAMED.contains(test) && name.isEmpty()) {
                name = value;
            }
        }

        /// Adds the names that this finds; false if that is any name.
        boolean endsWith(List<Shape> names, boolean actsElsewhere) {
            if (prunes && !acts && actsElsewhere) {
                // Left out, and nothing is done with it.
                return true;
            }
            names.add(name.withWildcards().withHidden());
            return !name.isEmpty();
        }
    }
}
