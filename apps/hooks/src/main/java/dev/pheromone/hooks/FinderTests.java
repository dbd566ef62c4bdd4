package dev.pheromone.hooks;

import java.util.ArrayList;
import java.util.HashSet;
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

    /// With these a folder is entered before it is looked at.
    private static final Set<String> LATE = Set.of("-depth", "-d", "-delete", "-L", "-follow");

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

    /// The folders that are not entered from `root` on: `-path ./a -prune -o -name b -prune -o …`,
    /// before any other test.
    static LeftOut leftOut(List<Shape> arguments, Shape root, List<Shape> folders) {
        var names = new HashSet<String>();
        var paths = new HashSet<String>();
        boolean late =
                arguments.stream()
                        .anyMatch(word -> LATE.contains(word.toString()) || !word.isPlain());
        int at = Finder.roots(arguments).equals(List.of(root)) ? arguments.indexOf(root) + 1 : -1;
        if (late || at < 1 || folders.size() != 1) {
            return LeftOut.NOTHING;
        }
        while (at + 3 < arguments.size()
                && arguments.get(at + 2).is("-prune")
                && OR.contains(arguments.get(at + 3).toString())) {
            String test = arguments.get(at).toString();
            String value = arguments.get(at + 1).toString();
            String bare = value.replaceFirst("^\\*/", "");
            if (LeftOut.isName(bare) && (test.equals("-name") || test.equals("-path"))) {
                boolean whole = test.equals("-name") == bare.equals(value);
                names.addAll(whole ? Set.of(bare) : Set.of());
            } else if (test.equals("-path") && value.startsWith(root + "/")) {
                Shape path =
                        root.startsWith("/")
                                ? Shape.of(value)
                                : folders.getFirst().plus("/").plus(Shape.of(value));
                paths.add(PathShapes.normal(path).iterator().next().toString());
            } else {
                break;
            }
            at += 4;
        }
        return new LeftOut(names, paths);
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
