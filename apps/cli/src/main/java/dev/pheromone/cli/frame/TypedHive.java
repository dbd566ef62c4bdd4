package dev.pheromone.cli.frame;

import dev.pheromone.Inbox;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.file.embargo.MissingInbox;
import dev.pheromone.file.setup.HiveRoot;
import dev.pheromone.file.setup.NoHiveException;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.hive.OpenHive;

import java.io.IOException;
import java.nio.file.Path;

/// The hive that a command line means, and its parts that are typed.
public final class TypedHive {

    private TypedHive() {}

    /// Finds and opens the hive that `call` means, for mail by the transport that `--via` names.
    public static OpenHive open(Invocation call) throws IOException {
        HiveLayout layout = find(call);
        String via = call.declares("via") ? call.args().value("via") : null;
        try {
            return OpenHive.of(
                    call,
                    layout,
                    via,
                    MailOptions.areOf(call) ? OpenHive.Use.SENDING : OpenHive.Use.INBOXES);
        } catch (ProblemException e) {
            throw CliException.of(e, call);
        }
    }

    /// Where the hive is: the named one, else the one of the folder that the command was typed in.
    public static HiveLayout find(Invocation call) throws IOException {
        Path named = call.namedRoot();
        try {
            return named == null ? HiveRoot.find(call.surroundings().cwd()) : HiveRoot.at(named);
        } catch (NoHiveException e) {
            CliException none =
                    new CliException(ErrorCode.NO_HIVE, String.valueOf(e.getMessage()), e)
                            .hint(e.hint());
            e.command().ifPresent(none::fix);
            throw none;
        }
    }

    /// What was typed for mail whose inbox is not there.
    public static MissingInbox missing(Invocation call) {
        return call.declares("create") && call.args().has("create")
                ? MissingInbox.IS_MADE
                : MissingInbox.FAILS;
    }

    /// The inbox that was typed as the operand at `index`, else the actor's own.
    public static Inbox inbox(Invocation call, OpenHive hive, int index) throws IOException {
        String typed = call.args().operand(index);
        return hive.inbox(
                typed == null ? hive.ownAddress() : Typed.address(call, "ADDRESS", typed));
    }
}
