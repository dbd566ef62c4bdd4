package dev.pheromone.session.mail;

import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeDraft;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.upkeep.Catalog;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.session.hive.GuardedTransport;
import dev.pheromone.session.hive.Lookup;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.OwnAddress;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Sends mail that ended without success once more, as a new envelope for each inbox where the old
/// one ended.
public final class Retry {

    private final Caller caller;
    private final OpenHive hive;

    public Retry(Caller caller, OpenHive hive) {
        this.caller = caller;
        this.hive = hive;
    }

    /// Sends the envelope that `said` means; ends with the first that was not accepted.
    public List<Sent> send(String said) throws IOException {
        List<Catalog.Item> copies = new Lookup(hive).copies(said);
        Map<Domain, Envelope> ended = ended(copies);
        if (ended.isEmpty()) {
            Catalog.Item first = copies.getFirst();
            tellIfKept(first);
            throw new ProblemException(
                    Code.CONFLICT,
                    "envelope "
                            + first.id()
                            + " is "
                            + first.state()
                            + ", expected one that is dead or expired");
        }
        List<Envelope> anew = new ArrayList<>();
        List<Optional<String>> transports = new ArrayList<>();
        for (Map.Entry<Domain, Envelope> old : ended.entrySet()) {
            Envelope envelope = again(old.getValue(), old.getKey());
            refuseIfEnded(old.getValue(), envelope, old.getKey());
            anew.add(new Signing(caller, hive).sign(envelope));
            transports.add(hive.catalog().endedOnTheWayTo(old.getKey(), old.getValue().id()));
        }
        List<Sent> sent = new ArrayList<>();
        for (int i = 0; i < anew.size(); i++) {
            sent.add(send(anew.get(i), transports.get(i)));
            if (sent.getLast() instanceof Sent.Incomplete) {
                break;
            }
        }
        return sent;
    }

    private void tellIfKept(Catalog.Item item) throws IOException {
        try {
            hive.tellIfKept(new Lookup(hive).open(item).envelope().expiresAt());
        } catch (ProblemException e) {
            // It is not mail that could expire.
        }
    }

    /// Sends by the transport that the mail was meant for: an inbox of that name here is another.
    private Sent send(Envelope envelope, Optional<String> transport) throws IOException {
        if (transport.isEmpty()) {
            return new Mailing(caller, hive).send(envelope, Sending.ONCE);
        }
        OpenHive other = hive.by(transport.get());
        try (GuardedTransport _ = other.mail()) {
            return new Mailing(caller, other).send(envelope, Sending.ONCE);
        }
    }

    /// What ended without success, by inbox. A copy that is not what its sender wrote is never
    /// revived: it would get a signature that vouches for it.
    private Map<Domain, Envelope> ended(List<Catalog.Item> copies) throws IOException {
        Map<Domain, Envelope> ended = new LinkedHashMap<>();
        Map<Domain, ProblemException> bad = new LinkedHashMap<>();
        for (Catalog.Item item : copies) {
            if (item.state() == State.DEAD || item.state() == State.EXPIRED) {
                try {
                    ended.putIfAbsent(item.inbox(), new Lookup(hive).open(item).genuine());
                } catch (ProblemException e) {
                    bad.putIfAbsent(item.inbox(), e);
                }
            }
        }
        bad.keySet().removeAll(ended.keySet());
        for (ProblemException problem : bad.values()) {
            throw problem;
        }
        return ended;
    }

    /// Fails if an earlier retry has ended, too: then only that envelope can be retried.
    private void refuseIfEnded(Envelope old, Envelope anew, Domain inbox) throws IOException {
        for (Catalog.Item item : hive.catalog().find(anew.id().text())) {
            if (item.inbox().equals(inbox) && item.state().isFinal()) {
                ProblemException ended =
                        new ProblemException(
                                Code.CONFLICT,
                                "envelope "
                                        + old.id()
                                        + " was sent anew already, as "
                                        + anew.id()
                                        + ", which is "
                                        + item.state());
                throw item.state() == State.DEAD || item.state() == State.EXPIRED
                        ? ended.fix("rsm retry " + anew.id().shortForm())
                        : ended;
            }
        }
    }

    private Envelope again(Envelope old, Domain inbox) throws IOException {
        EnvelopeDraft draft =
                Envelope.draft(caller.actor(), List.of(inbox.address()), old.lane(), old.topic())
                        .fromOrigin(caller.identity().origin())
                        .id(EnvelopeId.ofRetry(old.id(), inbox))
                        .ts(caller.now())
                        .priority(old.priority())
                        .ttl(old.ttl())
                        .consent(old.consent())
                        .tags(old.tags())
                        .attachments(old.attachments())
                        .correlationId(old.id())
                        // Whoever revives it is its sender; answers still go to whoever asked.
                        .replyTo(OwnAddress.forAnswerTo(old, hive))
                        .body(old.body());
        old.scope().ifPresent(draft::scope);
        old.ask().ifPresent(draft::ask);
        return draft.seal();
    }
}
