package dev.pheromone.session.hive;

import dev.pheromone.AwayException;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.Identity;

import java.io.IOException;
import java.util.List;

/// The address at which an actor gets its mail: `user://` for people, `worker://` for all else.
public final class OwnAddress {

    private OwnAddress() {}

    /// Which inboxes there are.
    public interface Inboxes {
        boolean have(Domain domain) throws IOException;
    }

    /// The caller's address.
    public static Address of(Caller caller, Inboxes known) throws IOException {
        Identity identity = caller.identity();
        return identity.isPerson(caller.user())
                ? prefer(user(identity.actor()), worker(identity.actor()), known)
                : prefer(worker(identity.actor()), user(identity.actor()), known);
    }

    /// Where an answer to `request` goes.
    public static Address forAnswerTo(Envelope request, OpenHive hive) throws IOException {
        return request.replyTo().isPresent()
                ? request.replyTo().get()
                : ofSender(request.from(), hive);
    }

    /// The address of the actor who sent something: whichever has an inbox.
    public static Address ofSender(Actor sender, OpenHive hive) throws IOException {
        List<Domain> known;
        try {
            known = hive.mail().reachable();
        } catch (AwayException e) {
            // Mail to them waits in the outbox, and whether they have an inbox shows then.
            known = List.of();
        }
        return prefer(worker(sender), user(sender), known::contains);
    }

    private static Address prefer(Address first, Address second, Inboxes known) throws IOException {
        return !known.have(first.domain()) && known.have(second.domain()) ? second : first;
    }

    private static Address user(Actor actor) {
        return new Address.User(name(actor));
    }

    private static Address worker(Actor actor) {
        return new Address.Worker(name(actor));
    }

    /// The name of an actor in addresses: those of actors may have dots and capitals, those in
    /// addresses may not.
    public static String name(Actor actor) {
        return Identity.asName(actor.name(), "actor");
    }
}
