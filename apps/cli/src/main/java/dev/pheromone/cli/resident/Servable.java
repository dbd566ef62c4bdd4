package dev.pheromone.cli.resident;

import dev.pheromone.cli.args.Args;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;

import java.util.List;
import java.util.Set;

/// Which commands the resident process answers. The others run in a process of their own: what is
/// for people alone, because a request could claim a terminal; what asks or stays; and what reads
/// or writes a file that the caller names, because the caller may be shut out of files that the
/// resident can reach.
public final class Servable {

    /// The verbs that end soon, and ask nobody.
    public static final Set<String> VERBS =
            Set.of(
                    "ack", "check", "drop", "hook", "inbox", "log", "prime", "read", "release",
                    "reply", "retry", "select", "send", "sense", "slo", "status", "trace");

    /// Options with which one of these verbs stays, or talks to a network.
    public static final Set<String> STAYING =
            Set.of("follow", "retry-for", "via", "wait", "wait-for", "wait-reply", "watch");

    private Servable() {}

    /// Whether a line of this command is answered by the resident.
    public static boolean is(Spec spec, Args args) {
        if (!VERBS.contains(spec.name())) {
            return false;
        }
        for (Opt opt : spec.opts()) {
            if (args.has(opt.name()) && (STAYING.contains(opt.name()) || namesFiles(opt, args))) {
                return false;
            }
        }
        return true;
    }

    private static boolean namesFiles(Opt opt, Args args) {
        List<String> values = args.values(opt.name());
        // A dash is standard input, which the client reads.
        return opt.isPath() && !values.stream().allMatch("-"::equals);
    }
}
