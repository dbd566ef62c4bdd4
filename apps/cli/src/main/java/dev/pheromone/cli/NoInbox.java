package dev.pheromone.cli;

import dev.pheromone.Address;
import dev.pheromone.Domain;
import dev.pheromone.NoSuchInboxException;
import dev.pheromone.cli.args.CommandLine;
import dev.pheromone.cli.args.Nearest;
import dev.pheromone.cli.args.Phrase;

import java.util.ArrayList;
import java.util.List;

/// What a command says when an address has no inbox: the nearest there is, and the command with it.
final class NoInbox {

    private NoInbox() {}

    /// @param outcome what that means for the command: `; nothing was sent`
    static CliException error(Invocation call, NoSuchInboxException e, String outcome) {
        CliException failure =
                new CliException(ErrorCode.NO_SUCH_INBOX, "no inbox " + e.address() + outcome, e);
        String wanted = e.address().domain().name();
        List<String> names = new ArrayList<>();
        for (Domain domain : e.known()) {
            names.add(domain.name());
        }
        List<String> nearest = Nearest.to(wanted, names);
        if (nearest.isEmpty()) {
            return failure.hint("there are " + addresses(e.known()));
        }
        Address meant = Domain.parse(nearest.getFirst()).address();
        CommandLine corrected =
                call.line()
                        .replacing(e.address().toString(), meant.toString())
                        .replacing(
                                wanted,
                                meant instanceof Address.Queen
                                        ? nearest.getFirst()
                                        : meant.toString());
        return failure.hint("did you mean " + meant + "?").fix(corrected.toString());
    }

    static String addresses(List<Domain> domains) {
        List<String> addresses = new ArrayList<>();
        for (Domain domain : domains) {
            addresses.add(domain.address().toString());
        }
        return addresses.isEmpty() ? "none" : Phrase.and(addresses);
    }
}
