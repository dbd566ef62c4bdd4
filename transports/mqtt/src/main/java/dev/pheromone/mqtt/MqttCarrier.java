package dev.pheromone.mqtt;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import com.hivemq.client.mqtt.mqtt5.message.subscribe.Mqtt5RetainHandling;

import dev.pheromone.AwayException;
import dev.pheromone.Carrier;
import dev.pheromone.NotLetInException;
import dev.pheromone.OtherReceiverException;
import dev.pheromone.Receipt;
import dev.pheromone.Recipients;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Envelope;

import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

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
        Optional<SendResult> refusal = Arrival.refusal(envelope, options, clock.instant());
        Map<Domain, SendResult> results =
                refusal.isEmpty() ? outgoing.send(envelope, targets.keySet()) : Map.of();
        List<Receipt.Copy> copies = new ArrayList<>();
        targets.forEach((inbox, address) ->
                copies.add(
                        new Receipt.Copy(
                                address, inbox, refusal.orElseGet(() -> results.get(inbox)))));
        return new Receipt(envelope.id(), envelope.hash(), copies);
    }

    /// Whether something may be sent now.
    @FunctionalInterface
    public interface Permission {

        /// Returns if so.
        ///
        /// @throws IOException if not
        void require() throws IOException;
    }

    /// Asks the receiver of `inbox` how the copy of `envelope` there ended, by sending the same
    /// mail again, and waits at most `patience` until the copy has: `done`, `dead` or `expired`.
    /// Empty if that did not happen, the receiver does not say, or it does not take this mail.
    ///
    /// @param permission is asked before anything is sent
    public Optional<State> awaitEnd(
            Envelope envelope, Domain inbox, Duration patience, Permission permission)
            throws IOException {
        Optional<SendResult> refusal =
                Recipients.refusal(envelope, options.reach, options.publicCheck);
        return refusal.isEmpty()
                ? outgoing.awaitEnd(envelope, inbox, patience, permission)
                : Optional.empty();
    }

    /// Publishes one line of the event log, for whoever listens now. Nobody confirms it. A line
    /// that the broker will never take, as too large, is told as a trouble.
    public void publish(String line) throws IOException {
        Connection connection = outgoing.connection();
        Mqtt5Publish message =
                Mqtt5Publish.builder()
                        .topic(options.topics.events())
                        .qos(MqttQos.AT_MOST_ONCE)
                        .payload(line.getBytes(StandardCharsets.UTF_8))
                        .build();
        try {
            var _ = connection.await(connection.publish(message));
        } catch (RefusedException e) {
            options.troubles.accept("an event is not published: " + e.getMessage());
        }
    }

    /// Hands to `lines` what is published of the event log, until the answer is closed or the
    /// connection is lost. Anybody may have published it.
    public Closeable follow(Consumer<String> lines) throws IOException {
        return Connection.passing(
                options,
                List.of(options.topics.events()),
                Mqtt5RetainHandling.DO_NOT_SEND,
                message ->
                        lines.accept(
                                new String(message.getPayloadAsBytes(), StandardCharsets.UTF_8)));
    }

    /// The inboxes that somebody receives for now. A retained message that can't be read ends the
    /// look: it is told as a trouble, and what the broker would send after it stays unknown.
    @Override
    public List<Domain> domains() throws IOException {
        String filter = options.topics.of("presence/+");
        try (Retained look = new Retained(options, List.of(filter))) {
            try {
                var _ = look.all();
            } catch (AwayException e) {
                Presence.requireUnreadable(e);
                options.troubles.accept(
                        filter + ": a retained message can't be read, expected who receives");
            }
            return List.copyOf(Presence.among(look.found(), options.topics).keySet());
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

    /// How many copies wait on the broker that were sent with version 0.1.
    public int leftByOlder() throws IOException {
        return new OlderMail(options, clock).count();
    }

    /// What came of fetching mail of version 0.1.
    ///
    /// @param stored how many copies the receiver has now
    /// @param left what stays on the broker, and why
    public record Fetched(int stored, List<String> left) {
        public Fetched {
            left = List.copyOf(left);
        }
    }

    /// Hands to `receiver` what was sent with version 0.1, and clears each copy on the broker when
    /// it is stored. May be ended and repeated at any time.
    ///
    /// @throws OtherReceiverException if a program of version 0.1 is connected, and is not to be
    ///   taken over
    public Fetched fetchOlder(Receiver receiver) throws IOException {
        return new OlderMail(options, clock).fetch(receiver);
    }

    /// @throws OtherReceiverException if somebody else receives, and is not to be taken over
    /// @throws NotLetInException if the broker says no
    /// @throws AwayException if the broker does not answer, or is lost before we receive
    @Override
    public Reception recv(Actor self, Collection<Domain> inboxes, Receiver receiver)
            throws IOException {
        if (options.joining == MqttOptions.Joining.YIELDS) {
            yieldToOthers(inboxes);
        }
        CompletableFuture<Ending> ending = new CompletableFuture<>();
        Sessions joined =
                new Sessions(
                        inboxes.stream()
                                .map(inbox ->
                                        new InboxSession(
                                                options, clock, self, inbox, receiver, ending))
                                .toList(),
                        ending);
        try {
            for (InboxSession session : joined.sessions()) {
                session.join();
            }
        } catch (IOException | RuntimeException e) {
            joined.close();
            throw e;
        }
        return joined;
    }

    /// A receiver that vanished seems to be there until the broker has published its will.
    private void yieldToOthers(Collection<Domain> inboxes) throws IOException {
        long end = System.nanoTime() + InboxSession.WILL_DELAY.plusSeconds(1).toNanos();
        try (Retained look =
                new Retained(options, inboxes.stream().map(options.topics::presence).toList())) {
            Map<String, byte[]> retained = look.all();
            while (true) {
                Map<Domain, Presence> others = Presence.among(retained, options.topics);
                if (others.isEmpty()) {
                    return;
                }
                long left = end - System.nanoTime();
                if (left <= 0) {
                    Map.Entry<Domain, Presence> other = others.entrySet().iterator().next();
                    throw new OtherReceiverException(
                            "%s: %s receives for inbox %s, expected nobody"
                                    .formatted(options.broker, other.getValue(), other.getKey()));
                }
                var _ = look.hear(Duration.ofNanos(left));
            }
        } catch (AwayException e) {
            Presence.requireUnreadable(e);
        }
    }

    /// Receives for several inboxes, each in a session of its own. When one is over, so are all:
    /// half a receiver would be noticed late.
    private record Sessions(List<InboxSession> sessions, CompletableFuture<Ending> ending)
            implements Reception {

        @Override
        public Ending run() throws InterruptedException {
            try {
                Ending first = ending.get();
                close();
                return first;
            } catch (ExecutionException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() {
            sessions.forEach(InboxSession::close);
            ending.complete(new Ending.Closed());
        }
    }

    @Override
    public void close() {
        outgoing.close();
    }
}
