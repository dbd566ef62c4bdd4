package dev.pheromone.hooks;

import java.util.List;
import java.util.Set;

/// Links that `ln` makes: a relative one leads on from the folder in which it lies, wherever it was
/// made.
final class SymbolicLinks {
    private static final Set<String> MAKERS = Set.of("ln", "gln");

    private SymbolicLinks() {}

    /// Notes where links to `sources` lead if they lie in `target`, and if `target` is one of them.
    static void note(Invocation call, List<Shape> sources, Shape target)
            throws ShellSyntaxException {
        if (!MAKERS.contains(call.program()) || !call.hasShortened("-s", "--symbolic")) {
            return;
        }
        Shape folder = target.part(0, target.length() - target.name().length());
        for (Shape source : sources) {
            if (!source.isEmpty() && source.at(0) != '/') {
                call.touch(target.plus("/").plus(source), Role.CHANGE, Extent.TREE);
                call.touch(folder.plus(source), Role.CHANGE, Extent.TREE);
            }
        }
    }
}
