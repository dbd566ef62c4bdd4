package dev.pheromone.cli.frame;

import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.cli.args.CommandLine;
import dev.pheromone.file.embargo.MissingInbox;
import dev.pheromone.session.caller.Phrase;
import dev.pheromone.text.Nearest;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// What a command says when an address has no inbox: the nearest there is, and the command with it.
public final class NoInbox {

    private NoInbox() {}

    /// The error of a command that `message` says.
    static CliException said(Invocation call, NoSuchInboxException e, String message) {
        CliException failure = new CliException(ErrorCode.NO_SUCH_INBOX, message, e);
        Optional<Address> nearest = nearest(e.address(), e.known());
        if (nearest.isEmpty()) {
            String there = "there are " + Phrase.addresses(e.known());
            return isMadeOnDemand(call, e.address())
                    ? failure.hint(there + "; to make it, too:")
                            .fix(call.line().plus("--create").toString())
                    : failure.hint(there);
        }
        Address meant = nearest.get();
        CommandLine corrected = call.line().replacing(e.address().toString(), meant.toString());
        if (e.address() instanceof Address.Queen(var typed)) {
            corrected =
                    corrected.replacing(
                            typed,
                            meant instanceof Address.Queen ? nameOf(meant) : meant.toString());
        }
        return failure.hint(
                        "did you mean "
                                + meant
                                + "?"
                                + (isMadeOnDemand(call, e.address()) && isActor(e.address())
                                        ? " Else --create makes it."
                                        : ""))
                .fix(corrected.toString());
    }

    private static boolean isActor(Address address) {
        return address instanceof Address.User || address instanceof Address.Worker;
    }

    private static boolean isMadeOnDemand(Invocation call, Address address) {
        return call.declares("create") && MissingInbox.IS_MADE.makes(address);
    }

    /// The address whose name is nearest to the wanted one's, of its own kind if there are several.
    /// The kind itself makes nothing similar: no two workers would be strangers then.
    private static Optional<Address> nearest(Address wanted, List<Domain> known) {
        List<String> names = new ArrayList<>();
        for (Domain domain : known) {
            names.add(nameOf(domain.address()));
        }
        List<String> near = Nearest.to(nameOf(wanted), names);
        return near.isEmpty()
                ? Optional.empty()
                : known.stream()
                        .map(Domain::address)
                        .filter(address -> nameOf(address).equals(near.getFirst()))
                        .min(
                                Comparator.comparing(
                                        address -> address.getClass() != wanted.getClass()));
    }

    private static String nameOf(Address address) {
        String text = address.toString();
        return text.substring(text.indexOf("://") + "://".length());
    }
}
