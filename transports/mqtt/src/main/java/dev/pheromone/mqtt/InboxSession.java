package dev.pheromone.mqtt;

import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5WillPublish;
import com.hivemq.client.mqtt.mqtt5.message.subscribe.Mqtt5RetainHandling;

import dev.pheromone.Actor;
import dev.pheromone.AwayException;
import dev.pheromone.Carrier;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.NotLetInException;
import dev.pheromone.SendResult;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// Receives for one inbox: a session that the broker remembers, over one connection after the
/// other.
///
/// A message is checked, stored by the receiver, answered, and only then acknowledged. So a message
/// that the receiver can't store ends the connection, and the broker sends it again on the next.
final class InboxSession {

    /// How long after a lost connection the broker says that nobody receives. A connection that is
    /// back before keeps its presence, and so does who takes over.
    static final Duration WILL_DELAY = Duration.ofSeconds(2);

    /// How long to rest before the next connection; twice as long after each that brought nothing.
    private static final Duration REST_MIN = Duration.ofMillis(100);

    private static final Duration REST_MAX = Duration.ofSeconds(30);

    /// How long a copy may take to be stored when the session is to end.
    private static final Duration FINISH_MAX = Duration.ofSeconds(10);

    /// The most that MQTT lets a client ask for.
    private static final int RECEIVE_MAX_LIMIT = 65_535;

    /// Senders of ours use 16 bytes; what is much longer is not repeated in a receipt.
    private static final int CORRELATION_BYTES_MAX = 64;

    private final MqttOptions options;
    private final InstantSource clock;
    private final Topics topics;
    private final Presence self;
    private final Domain inbox;
    private final Carrier.Receiver receiver;
    private final MailCheck check;
    private final CompletableFuture<Carrier.Ending> ending = new CompletableFuture<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    private @Nullable Connection connection;
    private boolean isClosing;
    private int busy;
    private volatile Duration rest = REST_MIN;
    private int receiveMax = Connection.RECEIVE_MAX;

    InboxSession(
            MqttOptions options,
            InstantSource clock,
            Actor self,
            Domain inbox,
            Carrier.Receiver receiver,
            MailCheck check) {
        this.options = options;
        this.clock = clock;
        this.topics = options.topics;
        this.self = new Presence(self, clock.instant(), Nonce.random());
        this.inbox = inbox;
        this.receiver = receiver;
        this.check = check;
    }

    /// Connects, and receives from then on.
    void join() throws IOException {
        if (options.joining == MqttOptions.Joining.TAKES_OVER) {
            announce();
        }
        Supplier<@Nullable Connection> first;
        try {
            Connection opened = connect();
            first = () -> opened;
        } catch (NotLetInException | AwayException | RefusedException e) {
            throw e;
        } catch (IOException e) {
            // We were let in, and a first copy could not be stored.
            first = () -> connectAgain(e);
        }
        Supplier<@Nullable Connection> begin = first;
        Thread.ofVirtual().name("receiver of " + inbox).start(() -> stay(begin.get()));
    }

    private void announce() throws IOException {
        try (Connection passing =
                Connection.open(
                        options,
                        Connection.Client.passing(),
                        (_, message) -> message.acknowledge())) {
            var _ = passing.await(passing.publish(self.at(topics.presence(inbox))));
        }
    }

    /// Is there when the session is over.
    CompletableFuture<Carrier.Ending> ending() {
        return ending;
    }

    private void stay(@Nullable Connection first) {
        @Nullable Connection current = first;
        while (current != null) {
            Throwable why = current.end().join();
            current = Connection.isTakenOver(why) ? takenOver("somebody else") : connectAgain(why);
        }
    }

    private @Nullable Connection takenOver(String who) {
        ending.complete(
                new Carrier.Ending.TakenOver(who + " receives for inbox " + inbox + " now"));
        return null;
    }

    /// The next connection; null if there is none any more.
    private @Nullable Connection connectAgain(Throwable lost) {
        Throwable why = lost;
        while (!isOver()) {
            if (Connection.isFlooded(why) || Connection.isFlooded(why.getCause())) {
                // Mosquitto 2.0.11 sends all that it ever sent to a session and then as much again.
                // Who holds it to the rule never gets to acknowledge anything.
                receiveMax = Math.min(2 * receiveMax, RECEIVE_MAX_LIMIT);
            }
            trouble("the connection is lost: " + why.getMessage());
            try {
                // Not every broker says why it ended a connection. Who takes over is present first,
                // so that two receivers don't take each other's place again and again.
                Optional<Presence> present = present();
                if (present.isPresent() && !present.get().session().equals(self.session())) {
                    return takenOver(present.get().description());
                }
                return connect();
            } catch (NotLetInException e) {
                ending.complete(new Carrier.Ending.Refused(String.valueOf(e.getMessage())));
                return null;
            } catch (IOException e) {
                why = e;
            }
        }
        return null;
    }

    /// Rests, and says whether the session is to end.
    private boolean isOver() {
        try {
            Duration now = rest;
            Duration longer = now.multipliedBy(2);
            rest = longer.compareTo(REST_MAX) > 0 ? REST_MAX : longer;
            return closed.await(now.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private Optional<Presence> present() throws IOException {
        try (Presences look = new Presences(options, topics.presence(inbox))) {
            return look.first();
        }
    }

    private Connection connect() throws IOException {
        String presence = topics.presence(inbox);
        Mqtt5WillPublish will =
                Presence.cleared(presence)
                        .asWill()
                        .extendAsWill()
                        .delayInterval(WILL_DELAY.toSeconds())
                        .build();
        Connection.Client who =
                new Connection.Client(
                        topics.receiver(inbox), options.sessionExpiry, receiveMax, will);
        Connection opened = Connection.open(options, who, this::arrived);
        try {
            opened.subscribe(topics.inbox(inbox), Mqtt5RetainHandling.DO_NOT_SEND);
            var _ = opened.await(opened.publish(self.at(presence)));
        } catch (IOException e) {
            opened.breakOff();
            throw e;
        }
        synchronized (this) {
            connection = opened;
            if (isClosing) {
                opened.breakOff();
            }
        }
        return opened;
    }

    private void arrived(Connection from, Mqtt5Publish message) {
        synchronized (this) {
            if (isClosing) {
                // It is not acknowledged: the broker keeps it.
                return;
            }
            busy++;
        }
        Thread.ofVirtual()
                .start(() -> {
                    try {
                        receive(from, message);
                    } catch (IOException | RuntimeException e) {
                        trouble("a message could not be received now: " + e.getMessage());
                        from.breakOff();
                    } finally {
                        synchronized (this) {
                            busy--;
                            notifyAll();
                        }
                    }
                });
    }

    private void receive(Connection from, Mqtt5Publish message) throws IOException {
        if (message.getTopic().toString().equals(topics.inbox(inbox))) {
            MailCheck.Checked checked = check.check(message, inbox, clock.instant());
            Envelope envelope = checked.envelope();
            SendResult result = checked.answer();
            if (result != null) {
                trouble("a message was refused: " + result.why());
            } else if (envelope != null) {
                result = receiver.answer(envelope, inbox);
                if (Carrier.Fate.of(result) == Carrier.Fate.NOT_NOW) {
                    throw new IOException("envelope " + envelope.id() + ": " + result.why());
                }
            }
            if (result != null) {
                answer(from, message, envelope, result);
            }
        } else {
            // A subscription that somebody else made in this session.
            trouble("a message came by topic " + message.getTopic() + ", expected none there");
        }
        message.acknowledge();
        rest = REST_MIN;
    }

    /// Tells the sender, if it can be told. Nobody makes us publish anywhere else.
    private void answer(
            Connection from, Mqtt5Publish message, @Nullable Envelope envelope, SendResult result)
            throws IOException {
        if (message.getResponseTopic().isEmpty()) {
            return;
        }
        String topic = message.getResponseTopic().get().toString();
        ByteBuffer correlation =
                message.getCorrelationData().orElseGet(() -> ByteBuffer.allocate(0));
        if (!topics.isReceipt(topic) || correlation.remaining() > CORRELATION_BYTES_MAX) {
            trouble("a sender wants its receipt at " + topic + ", expected a topic for receipts");
            return;
        }
        byte[] bytes = new byte[correlation.remaining()];
        correlation.get(bytes);
        ReceiptMessage receipt =
                new ReceiptMessage(
                        inbox,
                        HexFormat.of().formatHex(bytes),
                        envelope == null ? null : envelope.id(),
                        envelope == null ? null : envelope.hash(),
                        result,
                        self.by());
        try {
            var _ = from.await(from.publish(SignedReceipt.write(receipt, topic, options)));
        } catch (RefusedException e) {
            // The mail is stored all the same; who sends it again is asked again.
            trouble("a receipt could not be sent: " + e.getMessage());
        }
    }

    private void trouble(String what) {
        options.troubles.accept("inbox " + inbox + ": " + what);
    }

    /// Ends the session here; the broker goes on to keep mail for it. What is being stored is
    /// stored and answered before.
    void close() {
        Connection last;
        synchronized (this) {
            isClosing = true;
            awaitIdle();
            last = connection;
        }
        closed.countDown();
        if (last != null && last.isUp()) {
            try {
                var _ = last.await(last.publish(Presence.cleared(topics.presence(inbox))));
            } catch (IOException e) {
                // Then the will does it.
            }
            last.close();
        }
        ending.complete(new Carrier.Ending.Closed());
    }

    private synchronized void awaitIdle() {
        long end = System.nanoTime() + FINISH_MAX.toNanos();
        try {
            for (long left = FINISH_MAX.toMillis();
                    busy > 0 && left > 0;
                    left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())) {
                wait(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
