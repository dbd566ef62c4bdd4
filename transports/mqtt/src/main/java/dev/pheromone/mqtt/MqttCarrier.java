package dev.pheromone.mqtt;

import dev.pheromone.Actor;
import dev.pheromone.Address;
import dev.pheromone.Carrier;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.OtherReceiverException;
import dev.pheromone.Reach;
import dev.pheromone.Receipt;
import dev.pheromone.Recipients;
import dev.pheromone.SendResult;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Carries mail over an MQTT 5 broker, by what every such broker promises. Safe for use by several
/// threads.
///
/// The broker is not a mailbox: mail lives with its sender until the hive that receives it has
/// stored it and said so. See `docs/adr/0022-mqtt-carrier.md`.
public final class MqttCarrier implements Carrier {

    private final MqttOptions options;
    private final InstantSource clock;
    private final Outgoing outgoing;

    private MqttCarrier(MqttOptions options, InstantSource clock) {
        this.options = options;
        this.clock = clock;
        outgoing = new Outgoing(options, clock);
    }

    /// The hive that `options` name. The broker is asked when there is something to ask.
    public static MqttCarrier open(MqttOptions options, InstantSource clock) {
        return new MqttCarrier(options, clock);
    }

    @Override
    public Reach reach() {
        return options.reach;
    }

    /// Whether anybody receives for an inbox is known when its copy is sent, so no address is
    /// unknown: a copy for nobody is `Unanswered`.
    @Override
    public Receipt send(Envelope envelope) throws IOException {
        Map<Domain, Address> targets = new LinkedHashMap<>();
        for (Address address : envelope.to()) {
            for (Domain inbox : options.config.domainsOf(address)) {
                targets.putIfAbsent(inbox, address);
            }
        }
        return send(envelope, targets);
    }

    @Override
    public Receipt send(Envelope envelope, Domain inbox) throws IOException {
        return send(envelope, Map.of(inbox, inbox.address()));
    }

    private Receipt send(Envelope envelope, Map<Domain, Address> targets) throws IOException {
        Optional<SendResult> refusal = Recipients.refusal(envelope, reach(), options.publicCheck);
        Map<Domain, SendResult> results =
                refusal.isEmpty() ? outgoing.send(envelope, targets.keySet()) : Map.of();
        List<Receipt.Copy> copies = new ArrayList<>();
        targets.forEach((inbox, address) ->
                copies.add(
                        new Receipt.Copy(
                                address, inbox, refusal.orElseGet(() -> results.get(inbox)))));
        return new Receipt(envelope.id(), envelope.hash(), copies);
    }

    /// The inboxes that somebody receives for now.
    @Override
    public List<Domain> domains() throws IOException {
        try (Presences presences = presences()) {
            return List.copyOf(presences.all().keySet());
        }
    }

    /// What the broker grants.
    public Grants grants() throws IOException {
        return Grants.ask(options);
    }

    @Override
    public List<String> troubles() throws IOException {
        return grants().troubles(options);
    }

    /// @throws OtherReceiverException if somebody else receives, and is not to be taken over
    @Override
    public Reception recv(Actor self, Collection<Domain> inboxes, Receiver receiver)
            throws IOException {
        if (options.joining == MqttOptions.Joining.YIELDS) {
            yieldToOthers(inboxes);
        }
        MailCheck check = new MailCheck(options, reach());
        List<InboxSession> sessions = new ArrayList<>();
        try {
            for (Domain inbox : inboxes) {
                InboxSession session =
                        new InboxSession(options, clock, self, inbox, receiver, check);
                session.join();
                sessions.add(session);
            }
        } catch (IOException | RuntimeException e) {
            sessions.forEach(InboxSession::close);
            throw e;
        }
        return new MqttReception(List.copyOf(sessions));
    }

    private Presences presences() throws IOException {
        return new Presences(options, options.topics.presences());
    }

    private void yieldToOthers(Collection<Domain> inboxes) throws IOException {
        try (Presences presences = presences()) {
            Optional<Domain> taken =
                    presences.staying(inboxes, InboxSession.WILL_DELAY.plusSeconds(1));
            if (taken.isPresent()) {
                Presence other = presences.all().get(taken.get());
                throw new OtherReceiverException(
                        "%s: %s receives for inbox %s, expected nobody"
                                .formatted(
                                        options.broker,
                                        other == null ? "somebody" : other.description(),
                                        taken.get()));
            }
        }
    }

    @Override
    public void close() {
        outgoing.close();
    }
}
