package dev.pheromone.hooks;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// Links that `ln` makes: a relative one leads on from the folder in which it lies, wherever it was
/// made.
final class SymbolicLinks {
    private static final Set<String> MAKERS = Set.of("ln", "gln");

    private SymbolicLinks() {}

    /// Notes where links to `sources` lead if they lie in `target`, and if `target` is one of them;
    /// and where the links lead that were made before, if they are what is copied or moved there.
    static void note(Invocation call, List<Shape> sources, Shape target)
            throws ShellSyntaxException {
        TouchLog log = call.run().log();
        if (MAKERS.contains(call.program()) && call.hasShortened("-s", "--symbolic")) {
            for (Shape source : sources) {
                if (!source.isEmpty() && source.at(0) != '/') {
                    lead(call, source, target);
                    log.linked(source);
                }
            }
            return;
        }
        for (Shape made : log.links()) {
            for (Shape link : fromBelow(made)) {
                lead(call, link, target);
                for (Shape moved : sources) {
                    // A folder that has it.
                    lead(call, link, target.plus("/").plus(moved.name()));
                }
            }
        }
    }

    /// Where the link leads as seen from a folder that has it somewhere in it: each folder between
    /// them takes one of its two dots away.
    private static List<Shape> fromBelow(Shape link) {
        var names = new ArrayList<Shape>();
        for (Shape name : link.split('/')) {
            boolean back = name.is("..") && !names.isEmpty() && !names.getLast().is("..");
            if (back) {
                names.removeLast();
            } else if (!name.isEmpty() && !name.is(".")) {
                names.add(name);
            }
        }
        var seen = new ArrayList<>(List.of(link));
        while (!names.isEmpty() && names.getFirst().is("..")) {
            names.removeFirst();
            Shape rest = Shape.of(".");
            for (Shape name : names) {
                rest = rest.plus("/").plus(name);
            }
            seen.add(rest);
        }
        return seen;
    }

    private static void lead(Invocation call, Shape source, Shape target)
            throws ShellSyntaxException {
        Shape folder = target.part(0, target.length() - target.name().length());
        call.touch(target.plus("/").plus(source), Role.CHANGE, Extent.TREE);
        call.touch(folder.plus(source), Role.CHANGE, Extent.TREE);
    }
}
