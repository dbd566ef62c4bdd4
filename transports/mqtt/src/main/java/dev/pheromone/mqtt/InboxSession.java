package dev.pheromone.mqtt;

import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5DisconnectReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5WillPublish;
import com.hivemq.client.mqtt.mqtt5.message.subscribe.Mqtt5RetainHandling;

import dev.pheromone.AwayException;
import dev.pheromone.Carrier;
import dev.pheromone.NotLetInException;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Envelope;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/// Receives for one inbox: a session that the broker remembers, over one connection after the
/// other.
///
/// A message is checked, stored by the receiver, answered, and only then acknowledged. So a message
/// that the receiver can't store ends the connection, and the broker sends it again on the next.
final class InboxSession {

    /// How long after a lost connection the broker says that nobody receives. A connection that is
    /// back before keeps its presence, and so does a receiver that takes over.
    static final Duration WILL_DELAY = Duration.ofSeconds(2);

    /// How long a receiver that takes over is announced before it is connected: longer than the one
    /// that it replaces rests before it looks.
    private static final Duration ANNOUNCED = Duration.ofMinutes(1);

    /// How long to rest before the next connection; twice as long after each that brought nothing
    /// and did not hold.
    private static final long REST_MILLIS_MIN = 100;

    private static final long REST_MILLIS_MAX = 30_000;

    /// A connection that is lost after so long was a good one, on an inbox without mail too.
    static final Duration HELD_MIN = Duration.ofSeconds(10);

    /// How long a copy may take to be stored when the session is to end.
    private static final Duration FINISH_MAX = Duration.ofSeconds(10);

    /// The most that MQTT lets a client ask for.
    private static final int RECEIVE_MAX_LIMIT = 65_535;

    /// Senders of ours use 16 bytes; what is much longer is not repeated in a receipt.
    private static final int CORRELATION_BYTES_MAX = 64;

    /// How many senders are told how their copies end. When one more asks, the sender that has not
    /// asked for longest is forgotten, and told when it asks again.
    private static final int ASKERS_MAX = 256;

    /// How often it is looked whether a copy has ended.
    private static final Duration LOOK = Duration.ofSeconds(1);

    /// Before there is a connection; years before the end of time, which nothing can be added to.
    private static final Instant NEVER = Instant.MAX.minus(HELD_MIN);

    private final MqttOptions options;
    private final InstantSource clock;
    private final Domain inbox;
    private final Carrier.Receiver receiver;
    private final CompletableFuture<Carrier.Ending> ending;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final ExecutorService arrivals = Executors.newVirtualThreadPerTaskExecutor();
    private final SequencedSet<ReplyTo> askers = new LinkedHashSet<>();

    private volatile Presence self;
    private volatile @Nullable Connection connection;
    private volatile long restMillis = REST_MILLIS_MIN;
    private Instant connectedAt = NEVER;
    private int receiveMax = Connection.RECEIVE_MAX;

    /// @param ending is completed when the session is over
    InboxSession(
            MqttOptions options,
            InstantSource clock,
            Actor self,
            Domain inbox,
            Carrier.Receiver receiver,
            CompletableFuture<Carrier.Ending> ending) {
        this.options = options;
        this.clock = clock;
        this.self = new Presence(self, clock.instant(), Topics.nonce());
        this.inbox = inbox;
        this.receiver = receiver;
        this.ending = ending;
    }

    /// Where a sender wants its receipts.
    ///
    /// @param correlation in hexadecimal
    private record ReplyTo(String topic, String correlation) {}

    /// Connects, and receives from then on.
    void join() throws IOException {
        if (options.joining == MqttOptions.Joining.TAKES_OVER) {
            self = present().map(self::after).orElse(self);
            // No will clears the announcement if we die before we are connected.
            Mqtt5Publish announcement =
                    self.at(topic()).extend().messageExpiryInterval(ANNOUNCED.toSeconds()).build();
            try (Connection passing = Connection.passing(options)) {
                var _ = passing.await(passing.publish(announcement));
            }
        }
        CompletableFuture<Throwable> first = connect();
        Thread.ofVirtual()
                .name("receiver of " + inbox)
                .start(() -> ending.complete(connectAgain(first)));
    }

    /// Where the broker keeps who receives.
    private String topic() {
        return options.topics.presence(inbox);
    }

    /// Makes one connection after the other, and returns why the session is over.
    private Carrier.Ending connectAgain(CompletableFuture<Throwable> first) {
        CompletableFuture<Throwable> end = first;
        while (true) {
            Throwable why = end.join();
            if (BrokerProblem.isBecauseOf(why, Mqtt5DisconnectReasonCode.SESSION_TAKEN_OVER)) {
                return takenOver("somebody else");
            }
            if (BrokerProblem.isBecauseOf(
                    why, Mqtt5DisconnectReasonCode.RECEIVE_MAXIMUM_EXCEEDED)) {
                // Mosquitto 2.0.11 sends all that it ever sent to a session and then as much again.
                // A receiver that holds the broker to the rule never acknowledges anything.
                receiveMax = Math.min(2 * receiveMax, RECEIVE_MAX_LIMIT);
            }
            if (isClosedAfterRest(why)) {
                return new Carrier.Ending.Closed();
            }
            try {
                // Not every broker says why it ended a connection. Who takes over is present first,
                // so that two receivers don't take each other's place again and again.
                Optional<Presence> other = present();
                if (other.isPresent() && self.isReplacedBy(other.get())) {
                    return takenOver(other.get().toString());
                }
                if (BrokerProblem.isUnreadable(why)) {
                    forgetSession();
                }
                end = connect();
            } catch (NotLetInException e) {
                return new Carrier.Ending.Refused(String.valueOf(e.getMessage()));
            } catch (IOException | RuntimeException e) {
                end = CompletableFuture.completedFuture(e);
            }
        }
    }

    private Carrier.Ending takenOver(String who) {
        return new Carrier.Ending.TakenOver(who + " receives for inbox " + inbox + " now");
    }

    /// Some brokers pass on messages that break the rules of MQTT. The library ends the connection
    /// then, and the broker would send the message again on the next. A new session is rid of the
    /// message; senders send again what else was in the old one.
    private void forgetSession() throws IOException {
        Connection.Client who =
                new Connection.Client(options.topics.receiver(inbox), Duration.ZERO);
        Connection.open(options, who, (_, _) -> {}).close();
    }

    private boolean isClosedAfterRest(Throwable why) {
        if (!clock.instant().isBefore(connectedAt.plus(HELD_MIN))) {
            restMillis = REST_MILLIS_MIN;
        }
        connectedAt = NEVER;
        long now = restMillis;
        restMillis = Math.min(2 * now, REST_MILLIS_MAX);
        try {
            if (closed.getCount() > 0) {
                trouble("the connection is lost, next in " + now + " ms: " + why.getMessage());
            }
            return closed.await(now, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private Optional<Presence> present() throws IOException {
        try (Retained look = new Retained(options, List.of(topic()))) {
            return Optional.ofNullable(Presence.among(look.any(), options.topics).get(inbox));
        } catch (AwayException e) {
            Presence.requireUnreadable(e);
            return Optional.empty();
        }
    }

    /// Connects, and returns the end of that connection, which may be there already: a first copy
    /// that can't be stored ends the connection while we subscribe.
    private CompletableFuture<Throwable> connect() throws IOException {
        Mqtt5WillPublish will =
                Presence.cleared(topic())
                        .asWill()
                        .extendAsWill()
                        .delayInterval(WILL_DELAY.toSeconds())
                        .build();
        Connection.Client who =
                new Connection.Client(
                        options.topics.receiver(inbox), options.sessionExpiry, receiveMax, will);
        Connection opened = Connection.open(options, who, this::arrived);
        try {
            opened.subscribe(options.topics.inbox(inbox), Mqtt5RetainHandling.DO_NOT_SEND);
            var _ = opened.await(opened.publish(self.at(topic())));
        } catch (IOException e) {
            opened.breakOff();
            if (e instanceof AwayException) {
                return CompletableFuture.completedFuture(e);
            }
            throw e;
        }
        // Not before the presence is published: `close` clears the presence of this connection.
        connection = opened;
        connectedAt = clock.instant();
        if (closed.getCount() == 0) {
            opened.breakOff();
        }
        return opened.end();
    }

    private void arrived(Connection from, Mqtt5Publish message) {
        try {
            arrivals.execute(() -> {
                try {
                    receive(from, message);
                } catch (IOException | RuntimeException e) {
                    from.breakOff();
                    trouble("a message could not be received now: " + e.getMessage());
                }
            });
        } catch (RejectedExecutionException e) {
            // The session is closing. What is not acknowledged the broker keeps.
        }
    }

    private void receive(Connection from, Mqtt5Publish message) throws IOException {
        if (message.getTopic().toString().equals(options.topics.inbox(inbox))) {
            Arrival arrival =
                    Arrival.of(
                            message.getPayloadAsBytes(), inbox, options, clock.instant(), receiver);
            switch (arrival.fate()) {
                case TAKEN -> {}
                case REFUSED -> trouble("a message was refused: " + arrival.result().why());
                case NOT_NOW -> throw new IOException(arrival.result().why());
            }
            Optional<ReplyTo> replyTo = replyTo(message);
            if (replyTo.isPresent()) {
                answer(from, replyTo.get(), message, arrival);
            }
        } else {
            // A subscription that somebody else made in this session.
            trouble("a message came by topic " + message.getTopic() + ", expected none there");
        }
        message.acknowledge();
        restMillis = REST_MILLIS_MIN;
    }

    /// Where the sender can be told. Nobody makes us publish anywhere else.
    private Optional<ReplyTo> replyTo(Mqtt5Publish message) {
        if (message.getResponseTopic().isEmpty()) {
            return Optional.empty();
        }
        String topic = message.getResponseTopic().get().toString();
        ByteBuffer correlation =
                message.getCorrelationData().orElseGet(() -> ByteBuffer.allocate(0));
        if (!options.topics.isReceipt(topic) || correlation.remaining() > CORRELATION_BYTES_MAX) {
            trouble("a sender wants its receipt at " + topic + ", expected a topic for receipts");
            return Optional.empty();
        }
        return Optional.of(new ReplyTo(topic, ReceiptMessage.hex(correlation)));
    }

    private void answer(Connection from, ReplyTo to, Mqtt5Publish message, Arrival arrival)
            throws IOException {
        Envelope envelope = arrival.envelope();
        try {
            tell(from, to, envelope, new ReceiptMessage.Word.Came(arrival.result()));
        } catch (RefusedException e) {
            // The mail is stored all the same; a sender that sends it again is answered again.
            trouble("a receipt could not be sent: " + e.getMessage());
        }
        if (envelope != null
                && ReceiptMessage.property(message, Outgoing.HEAR)
                        .equals(Optional.of(Outgoing.ENDED))
                && arrival.fate() == Carrier.Fate.TAKEN
                && isNewAsker(to)) {
            Thread.ofVirtual().start(() -> tellEnd(to, envelope));
        }
    }

    private boolean isNewAsker(ReplyTo to) {
        synchronized (askers) {
            boolean isNew = !askers.contains(to);
            askers.addLast(to);
            if (askers.size() > ASKERS_MAX) {
                var _ = askers.removeFirst();
            }
            return isNew;
        }
    }

    private boolean isAsker(ReplyTo to) {
        synchronized (askers) {
            return askers.contains(to);
        }
    }

    private void tell(
            Connection by, ReplyTo to, @Nullable Envelope envelope, ReceiptMessage.Word word)
            throws IOException {
        ReceiptMessage receipt =
                new ReceiptMessage(
                        inbox,
                        to.correlation(),
                        envelope == null ? null : envelope.id(),
                        envelope == null ? null : envelope.hash(),
                        word,
                        self.by());
        var _ = by.await(by.publish(receipt.to(to.topic(), options.signer)));
    }

    /// Tells a sender how its copy ended, as soon as the copy has. Nothing of this outlives the
    /// session: a sender that still waits asks again.
    private void tellEnd(ReplyTo to, Envelope envelope) {
        try {
            do {
                Optional<State> state = receiver.stateOf(envelope.id(), inbox);
                Connection current = connection;
                if (state.isEmpty()) {
                    return;
                }
                if (state.get().isFinal() && current != null && current.isUp()) {
                    tell(current, to, envelope, new ReceiptMessage.Word.Ended(state.get()));
                    return;
                }
            } while (!closed.await(LOOK.toMillis(), TimeUnit.MILLISECONDS) && isAsker(to));
        } catch (IOException e) {
            trouble(
                    "the end of envelope "
                            + envelope.id()
                            + " could not be told: "
                            + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            synchronized (askers) {
                askers.remove(to);
            }
        }
    }

    private void trouble(String what) {
        options.troubles.accept("inbox " + inbox + ": " + what);
    }

    /// Ends the session here; the broker goes on to keep mail for it. What is being stored is
    /// stored and answered before.
    void close() {
        closed.countDown();
        arrivals.shutdown();
        try {
            var _ = arrivals.awaitTermination(FINISH_MAX.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Connection last = connection;
        if (last != null && last.isUp()) {
            try {
                var _ = last.await(last.publish(Presence.cleared(topic())));
            } catch (IOException e) {
                // Then the will clears the presence.
            }
            last.close();
        }
    }
}
