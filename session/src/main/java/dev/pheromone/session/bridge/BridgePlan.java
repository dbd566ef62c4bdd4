package dev.pheromone.session.bridge;

import dev.pheromone.address.Domain;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.hive.Bridge.Route;
import dev.pheromone.hive.Bridge.Side;
import dev.pheromone.hive.BridgeCrew;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.FileProblem;
import dev.pheromone.session.caller.Phrase;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// Which inboxes' mail goes which way. Each inbox is at home on one side, so that nothing goes to
/// and fro: where it was typed to be, else on the only side that has it. The other side gets one of
/// the same name, for mail to be left in. What both have stays where it is.
public final class BridgePlan implements BridgeCrew.Plan {

    private final Caller caller;
    private final BridgeSides sides;

    /// Named by options; if any is, there are no others.
    private final Map<Domain, Side> named;

    private final Set<Domain> unreachable = new HashSet<>();

    /// Those that were at home on one side, and are there no more.
    private final Set<Domain> removed = new HashSet<>();

    /// @param named where inboxes are at home; empty for all that there are, and where a side only
    ///   carries, for those that hive.yaml has it receive
    public BridgePlan(Caller caller, BridgeSides sides, Map<Domain, Side> named) {
        this.caller = caller;
        this.sides = sides;
        this.named = new LinkedHashMap<>(named);
        if (named.isEmpty()) {
            receive(sides.first(), sides.second());
            receive(sides.second(), sides.first());
        }
    }

    /// A broker has no inboxes that could be compared: what to receive is said by somebody.
    private void receive(Side broker, Side home) {
        if (!sides.isCarrier(broker)) {
            return;
        }
        if (sides.isThisHive(home)) {
            sides.broker(broker).config().receive().forEach(inbox -> named.put(inbox, home));
        }
        if (named.isEmpty()) {
            String option = home.equals(sides.first()) ? "back" : "domain";
            throw new ProblemException(
                            Code.USAGE,
                            "found no inbox to receive from "
                                    + broker.name()
                                    + ", expected --"
                                    + option
                                    + " ADDRESS, or receive: [code] in hive.yaml")
                    .hint("for the mail of code:")
                    .remedy(new ProblemException.Remedy.With(option, "code"));
        }
    }

    private Set<Domain> domains(Side side) throws IOException {
        return sides.isCarrier(side) ? Set.of() : new TreeSet<>(side.transport().domains());
    }

    private boolean has(Set<Domain> known, Side side, Domain inbox) {
        return sides.isCarrier(side) || known.contains(inbox);
    }

    @Override
    public synchronized List<Route> routes() throws IOException {
        Set<Domain> first = domains(sides.first());
        Set<Domain> second = domains(sides.second());
        Map<Domain, Side> homes = new LinkedHashMap<>(named);
        if (named.isEmpty()) {
            Map<Domain, Side> before = sides.homes();
            for (Domain inbox : first) {
                if (!second.contains(inbox)) {
                    homes.put(inbox, sides.first());
                }
            }
            for (Domain inbox : second) {
                if (!first.contains(inbox)) {
                    homes.put(inbox, sides.second());
                }
            }
            homes.putAll(before);
        }
        List<Route> routes = new ArrayList<>();
        for (Map.Entry<Domain, Side> home : homes.entrySet()) {
            Domain inbox = home.getKey();
            boolean isFirst = home.getValue().equals(sides.first());
            Side from = isFirst ? sides.second() : sides.first();
            if (!has(isFirst ? first : second, home.getValue(), inbox)) {
                refuse(inbox, home.getValue());
                continue;
            }
            removed.remove(inbox);
            if (has(isFirst ? second : first, from, inbox) || make(inbox, home.getValue(), from)) {
                routes.add(new Route(from, home.getValue(), inbox));
            }
        }
        return routes;
    }

    /// What was typed has to be there. What an earlier run found there may be removed since, and
    /// keeps no other mail.
    private void refuse(Domain inbox, Side home) {
        String missing = home.name() + " has no inbox " + inbox.address();
        if (named.containsKey(inbox)) {
            throw new ProblemException(Code.NO_SUCH_INBOX, missing + ", expected one to carry to");
        }
        if (removed.add(inbox)) {
            caller.warn(missing + " any more: mail for it stays where it is");
        }
    }

    /// Makes an inbox for mail to be carried from. First it is noted whose it is: else, after a
    /// crash, both would have it and nobody would know.
    private boolean make(Domain inbox, Side home, Side from) throws IOException {
        if (unreachable.contains(inbox)) {
            return false;
        }
        sides.setHome(inbox, home);
        try {
            from.transport().createInbox(inbox);
            return true;
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            unreachable.add(inbox);
            caller.warn(
                    from.name()
                            + " gets no inbox "
                            + inbox.address()
                            + ": "
                            + FileProblem.describe(e));
            return false;
        }
    }

    /// What there is to say at the start.
    public String text(List<Route> routes) throws IOException {
        List<String> there = new ArrayList<>();
        List<String> back = new ArrayList<>();
        for (Route route : routes) {
            (route.to().equals(sides.second()) ? there : back)
                    .add(route.inbox().address().toString());
        }
        String ways =
                there.isEmpty() && back.isEmpty()
                        ? "nothing to carry between "
                                + sides.first().name()
                                + " and "
                                + sides.second().name()
                                + " yet"
                        : "carrying "
                                + (there.isEmpty()
                                        ? ""
                                        : Phrase.and(there) + " to " + sides.second().name())
                                + (there.isEmpty() || back.isEmpty() ? "" : "; ")
                                + (back.isEmpty()
                                        ? ""
                                        : Phrase.and(back) + " to " + sides.first().name());
        Set<Domain> both = new TreeSet<>(domains(sides.first()));
        both.retainAll(domains(sides.second()));
        routes.forEach(route -> both.remove(route.inbox()));
        return both.isEmpty() || !named.isEmpty()
                ? ways
                : ways
                        + "; both have "
                        + Phrase.addresses(List.copyOf(both))
                        + ", which stay where they are unless named by --domain or --back";
    }
}
