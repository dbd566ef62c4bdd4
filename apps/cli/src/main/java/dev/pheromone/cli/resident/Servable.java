package dev.pheromone.cli.resident;

import dev.pheromone.cli.args.Args;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;

import java.util.List;
import java.util.Set;

/// Which commands the resident process answers. The others run in a process of their own: what is
/// for people alone, because a request could claim a terminal; what asks, or stays and follows; and
/// what reads or writes a file that the caller names, because the caller may be shut out of files
/// that the resident can reach. For the same reason nothing is signed by it: the caller may be shut
/// out of the keys.
public final class Servable {

    /// The verbs that end soon and ask nobody, and those that stay as guests.
    public static final Set<String> VERBS =
            Set.of(
                    "ack", "agents", "ask", "check", "drop", "hook", "inbox", "log", "mcp", "prime",
                    "read", "release", "reply", "reserve", "select", "send", "sense", "slo",
                    "status", "trace");

    /// Those of the verbs that stay as guests: they read their input a line at a time, and their
    /// client goes on with a process of its own when the resident process ends or may not go on.
    static final Set<String> STAYS = Set.of("mcp");

    /// Options with which one of these verbs stays, or talks to a network.
    public static final Set<String> STAYING =
            Set.of("follow", "retry-for", "via", "wait", "wait-for", "wait-reply", "watch");

    /// Verbs that write mail, which a hive may expect to be signed.
    public static final Set<String> MAILING = Set.of("ack", "ask", "reply", "send");

    /// Options with which mail is signed: public mail always is.
    public static final Set<String> SIGNING = Set.of("key", "public", "sign");

    /// Options of which a dash is standard input, which the client reads.
    private static final Set<String> READING = Set.of("body-file");

    private Servable() {}

    /// Whether a line of this command is answered by the resident.
    public static boolean is(Spec spec, Args args) {
        if (!VERBS.contains(spec.name())) {
            return false;
        }
        for (Opt opt : spec.opts()) {
            if (args.has(opt.name())
                    && (STAYING.contains(opt.name())
                            || SIGNING.contains(opt.name())
                            || namesFiles(opt, args))) {
                return false;
            }
        }
        return true;
    }

    private static boolean namesFiles(Opt opt, Args args) {
        List<String> values = args.values(opt.name());
        return opt.isPath()
                && !(READING.contains(opt.name()) && values.stream().allMatch("-"::equals));
    }
}
