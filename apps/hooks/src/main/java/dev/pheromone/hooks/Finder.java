package dev.pheromone.hooks;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// `find`: it goes through folders, and may delete or run something for what it finds.
final class Finder {
    private static final Set<String> EXECUTING = Set.of("-exec", "-execdir", "-ok", "-okdir");
    private static final Set<String> WRITING = Set.of("-fprint", "-fprint0", "-fls", "-fprintf");
    private static final Set<String> COMPARING =
            Set.of("-newer", "-anewer", "-cnewer", "-samefile", "-files0-from");

    /// They make the tests something else than "all of these".
    private static final Set<String> LOGIC = Set.of("-o", "-or", "!", "-not", ",", "(", ")");

    private Finder() {}

    static void follow(Invocation find) throws ShellSyntaxException {
        List<Shape> arguments = find.arguments();
        List<Shape> found = found(arguments);
        boolean acts =
                arguments.stream()
                        .anyMatch(
                                word -> EXECUTING.contains(word.toString()) || word.is("-delete"));
        for (Shape root : roots(arguments)) {
            // Where the links lead that a wildcard matches, is seen only from here.
            boolean names = root.isPlain() || !acts;
            find.touch(root, Role.READ, names ? Extent.NAMES : Extent.TREE);
        }
        for (int i = 0; i < arguments.size(); i++) {
            String word = find.plain(i);
            if (word == null) {
                continue;
            }
            if (word.equals("-delete")) {
                for (Shape path : found) {
                    find.touch(path, Role.ERASE, Extent.PATH);
                }
            } else if (WRITING.contains(word) && i + 1 < arguments.size()) {
                find.touch(arguments.get(i + 1), Role.WRITE, Extent.PATH);
            } else if (COMPARING.contains(word) && i + 1 < arguments.size()) {
                find.touch(arguments.get(i + 1), Role.READ, Extent.PATH);
            } else if (EXECUTING.contains(word)) {
                int end = i + 1;
                while (end < arguments.size()
                        && !arguments.get(end).is(";")
                        && !arguments.get(end).is("+")) {
                    end++;
                }
                ShellState inner = find.state().copy();
                if (word.endsWith("dir")) {
                    inner.loseFolder();
                }
                execute(find, inner, arguments.subList(i + 1, end), found);
                i = end;
            }
        }
    }

    private static void execute(
            Invocation find, ShellState state, List<Shape> words, List<Shape> found)
            throws ShellSyntaxException {
        for (Shape path : found) {
            find.run()
                    .call(
                            words.stream().map(word -> word.replace("{}", path)).toList(),
                            state.copy(),
                            null);
        }
    }

    /// Where the search begins: what stands before the first test.
    static List<Shape> roots(List<Shape> arguments) {
        var roots = new ArrayList<Shape>();
        for (Shape argument : arguments) {
            boolean option = argument.is("-H") || argument.is("-L") || argument.is("-P");
            if (option) {
                continue;
            }
            if (argument.startsWith("-") || argument.is("(") || argument.is("!")) {
                break;
            }
            roots.add(argument);
        }
        return roots.isEmpty() ? List.of(Shape.of(".")) : roots;
    }

    /// What may be found: everything below, or only certain names if that is all that is asked for.
    private static List<Shape> found(List<Shape> arguments) {
        Shape name = null;
        boolean logic = false;
        for (int i = 0; i < arguments.size(); i++) {
            String word = arguments.get(i).toString();
            logic |= LOGIC.contains(word);
            boolean named = word.equals("-name") || word.equals("-iname");
            if (named && name == null && i + 1 < arguments.size()) {
                name = arguments.get(i + 1);
            }
        }
        var found = new ArrayList<Shape>();
        for (Shape root : roots(arguments)) {
            Shape below = root.plus("/").plus(Shape.of(new int[] {Shape.DEEP}));
            if (name == null || logic) {
                found.add(root);
                found.add(below);
            } else {
                // Unlike a shell's, its wildcards match hidden names as well.
                Shape pattern = name.withWildcards().withHidden();
                found.add(root.plus("/").plus(pattern));
                found.add(below.plus("/").plus(pattern));
                found.add(root);
            }
        }
        return found;
    }
}
