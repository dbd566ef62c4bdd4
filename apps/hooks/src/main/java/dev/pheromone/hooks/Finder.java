package dev.pheromone.hooks;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// `find`: it goes through folders, and may delete or run something for what it finds.
final class Finder {
    static final Set<String> EXECUTING = Set.of("-exec", "-execdir", "-ok", "-okdir");
    private static final Set<String> WRITING = Set.of("-fprint", "-fprint0", "-fls", "-fprintf");
    private static final Set<String> COMPARING =
            Set.of("-newer", "-anewer", "-cnewer", "-samefile", "-files0-from");

    private Finder() {}

    static void follow(Invocation find) throws ShellSyntaxException {
        List<Shape> arguments = find.arguments();
        List<Shape> found = found(arguments);
        boolean acts =
                arguments.stream()
                        .anyMatch(
                                word -> EXECUTING.contains(word.toString()) || word.is("-delete"));
        Shape depth = depth(arguments);
        for (Shape root : roots(arguments)) {
            // Where the links lead that a wildcard matches, is seen only from here.
            boolean names = root.isPlain() || !acts;
            LeftOut without = FinderTests.leftOut(arguments, root, find.state().folders());
            list(find, root, depth, names ? Extent.NAMES : Extent.TREE, without);
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
                if (word.equals("-files0-from")) {
                    find.doubt("takes the names of folders from a list");
                }
            } else if (EXECUTING.contains(word)) {
                int end = endOfCommand(arguments, i + 1);
                ShellState inner = find.state().copy();
                if (word.endsWith("dir")) {
                    inner.loseFolder();
                }
                execute(find, inner, arguments.subList(i + 1, end), found);
                i = end;
            }
        }
    }

    /// Where the command ends that begins at `start`.
    static int endOfCommand(List<Shape> arguments, int start) {
        int end = start;
        while (end < arguments.size()
                && !arguments.get(end).is(";")
                && !arguments.get(end).is("+")) {
            end++;
        }
        return end;
    }

    /// What it prints, if that is the paths of what it finds; else null.
    static @Nullable List<Shape> prints(List<Shape> arguments) {
        boolean other =
                arguments.stream()
                        .anyMatch(word ->
                                EXECUTING.contains(word.toString())
                                        || WRITING.contains(word.toString())
                                        || word.is("-printf")
                                        || word.is("-ls")
                                        || word.is("-files0-from")
                                        || word.hasGap());
        return other ? null : found(arguments);
    }

    /// How deep it goes, or nothing if that is not said.
    private static Shape depth(List<Shape> arguments) {
        Shape depth = Shape.EMPTY;
        for (int i = 0; i + 1 < arguments.size(); i++) {
            if (arguments.get(i).is("-maxdepth")) {
                boolean first = depth.isEmpty();
                depth = first ? arguments.get(i + 1) : Shape.UNKNOWN;
            }
        }
        return depth;
    }

    /// Notes that names are listed from `root` on, in so many folders below each other; in all of
    /// them if the number is not known.
    static void list(Invocation call, Shape root, Shape depth, Extent all, LeftOut without)
            throws ShellSyntaxException {
        if (!all.isOfNames() || levels(depth) < 0) {
            call.touch(root, Role.READ, all, without);
            return;
        }
        call.touch(root, Role.READ, Extent.PATH);
        Shape folder = root;
        Shape name = all == Extent.VISIBLE_NAMES ? Shape.of("*").withWildcards() : Shape.ANY_NAME;
        for (int i = 1; i < levels(depth); i++) {
            folder = folder.plus("/").plus(name);
            call.touch(folder, Role.READ, Extent.LISTED);
        }
    }

    /// The number, if it is a small one; else it is negative.
    private static int levels(Shape depth) {
        String digits = depth.toString();
        return digits.matches("\\d") ? Integer.parseInt(digits) : -1;
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
        var found = new ArrayList<Shape>();
        int levels = levels(depth(arguments));
        // Unlike a shell's, its wildcards match hidden names as well.
        Shape any = Shape.ANY_NAME;
        for (Shape pattern : FinderTests.names(arguments)) {
            for (Shape root : roots(arguments)) {
                if (mayMatch(root, pattern)) {
                    found.add(root);
                }
                Shape folder = root;
                for (int i = 0; i < levels; i++) {
                    found.add(folder.plus("/").plus(pattern));
                    folder = folder.plus("/").plus(any);
                }
                Shape below = root.plus("/").plus(Shape.of(new int[] {Shape.DEEP}));
                if (levels < 0 && pattern.equals(any)) {
                    found.add(below);
                } else if (levels < 0) {
                    found.add(root.plus("/").plus(pattern));
                    found.add(below.plus("/").plus(pattern));
                }
            }
        }
        return found;
    }

    /// Whether where the search begins may be found itself; of a name that is not seen, nobody
    /// knows.
    private static boolean mayMatch(Shape root, Shape pattern) {
        Shape name = root.name();
        return name.isEmpty() || !name.isPlain() || Overlap.of(name, pattern);
    }
}
