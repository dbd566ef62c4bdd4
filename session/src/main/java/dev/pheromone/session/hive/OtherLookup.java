package dev.pheromone.session.hive;

import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.remote.HeldClaims;
import dev.pheromone.selection.Waiting;
import dev.pheromone.session.caller.ProblemException;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// Finds mail on another transport by what was typed: an id, the end of one, or a claim's name.
final class OtherLookup {

    private final OpenHive hive;
    private final OtherTransport transport;

    OtherLookup(OpenHive hive, OtherTransport transport) {
        this.hive = hive;
        this.transport = transport;
    }

    /// The claims of this hive's commands that are meant.
    List<HeldClaims.Held> held(String typed) throws IOException {
        if (typed.length() < Lookup.TYPED_LENGTH_MIN) {
            throw Lookup.tooShort(typed);
        }
        List<HeldClaims.Held> found = transport.held().find(typed);
        Set<EnvelopeId> ids = new TreeSet<>();
        found.forEach(held -> ids.add(held.envelope().id()));
        Lookup.refuseIfSeveral(typed, ids);
        return found;
    }

    /// The envelope that is meant, checked: one that was taken here, else as the other side shows
    /// it.
    OpenedCopy opened(String typed) throws IOException {
        for (HeldClaims.Held held : held(typed)) {
            return new OpenedCopy(
                    held.envelope(),
                    hive.checkSignature(held.envelope()),
                    held.inbox(),
                    State.ACTIVE,
                    held.location());
        }
        return find(id(typed))
                .orElseThrow(() ->
                        new ProblemException(
                                        ProblemException.Code.NO_SUCH_ID,
                                        "no envelope "
                                                + typed
                                                + " that "
                                                + transport.title()
                                                + " shows")
                                .hint("some transports show mail only to whoever takes it"));
    }

    /// The envelope of this id, as the other side shows it.
    Optional<OpenedCopy> find(EnvelopeId id) throws IOException {
        Optional<Transport.Found> found = transport.find(id);
        return found.map(copy ->
                new OpenedCopy(
                        copy.envelope(),
                        hive.checkSignature(copy.envelope()),
                        copy.inbox(),
                        copy.state(),
                        transport.title() + ":" + copy.inbox() + "/" + id));
    }

    private EnvelopeId id(String typed) throws IOException {
        if (EnvelopeId.isId(typed)) {
            return EnvelopeId.parse(typed);
        }
        String wanted = typed.toUpperCase(Locale.ROOT);
        Set<EnvelopeId> ids = new TreeSet<>();
        for (Domain domain : transport.domains()) {
            for (Waiting waiting : waiting(domain)) {
                if (waiting instanceof Waiting.Mail mail
                        && mail.header().id().text().toUpperCase(Locale.ROOT).endsWith(wanted)) {
                    ids.add(mail.header().id());
                }
            }
        }
        Lookup.refuseIfSeveral(typed, ids);
        for (EnvelopeId id : ids) {
            return id;
        }
        throw new ProblemException(
                        ProblemException.Code.NO_SUCH_ID,
                        "no envelope " + typed + " waits at " + transport.title())
                .hint("of what does not wait, type the whole id");
    }

    private List<Waiting> waiting(Domain domain) throws IOException {
        try {
            return transport.inbox(domain).waiting();
        } catch (NoSuchInboxException e) {
            // It was there a moment ago.
            return List.of();
        }
    }
}
