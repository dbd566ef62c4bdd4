package dev.pheromone.hooks;

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
        for (Shape link : log.links()) {
            lead(call, link, target);
            for (Shape moved : sources) {
                // A folder that has it.
                lead(call, link, target.plus("/").plus(moved.name()));
            }
        }
    }

    private static void lead(Invocation call, Shape source, Shape target)
            throws ShellSyntaxException {
        Shape folder = target.part(0, target.length() - target.name().length());
        call.touch(target.plus("/").plus(source), Role.CHANGE, Extent.TREE);
        call.touch(folder.plus(source), Role.CHANGE, Extent.TREE);
    }
}
