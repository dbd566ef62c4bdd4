package dev.pheromone.mqtt;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import com.hivemq.client.mqtt.mqtt5.message.subscribe.Mqtt5RetainHandling;

import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.SendResult;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Sends mail, and waits for its receipts. The connection is made when it is needed.
final class Outgoing implements AutoCloseable {

    private static final String CONTENT_TYPE = "text/markdown";

    /// The most that a message expiry can say: 136 years.
    private static final long EXPIRY_SECONDS_MAX = 0xFFFF_FFFFL;

    private final MqttOptions options;
    private final InstantSource clock;
    private final Topics topics;

    /// Where this sender hears its receipts: nobody else knows it who can't see the mail itself.
    private final String receipts;

    private final Map<String, Copy> waiting = new ConcurrentHashMap<>();
    private @Nullable Connection connection;

    Outgoing(MqttOptions options, InstantSource clock) {
        this.options = options;
        this.clock = clock;
        topics = options.topics;
        receipts = topics.receipt(Nonce.random());
    }

    /// One copy on its way.
    ///
    /// @param handed whether anybody is to get it, when the broker has it
    /// @param answer what the receiver says
    private record Copy(
            Envelope envelope,
            Domain inbox,
            String correlation,
            CompletableFuture<Boolean> handed,
            CompletableFuture<SendResult> answer) {}

    /// Sends a copy to each of `inboxes`, and says what became of it.
    Map<Domain, SendResult> send(Envelope envelope, Collection<Domain> inboxes) throws IOException {
        Instant now = clock.instant();
        Map<Domain, SendResult> results = new LinkedHashMap<>();
        if (!now.isBefore(envelope.expiresAt())) {
            SendResult over =
                    new SendResult.Rejected(
                            SendResult.Ground.THE_MAIL,
                            "expired: ttl " + envelope.ttl() + " is over");
            inboxes.forEach(inbox -> results.put(inbox, over));
            return results;
        }
        Connection up = connection();
        List<Copy> copies = new ArrayList<>();
        try {
            for (Domain inbox : inboxes) {
                copies.add(publish(up, envelope, inbox, now));
            }
            for (Copy copy : copies) {
                handOver(up, copy);
            }
            long end = System.nanoTime() + options.receiptWait.toNanos();
            for (Copy copy : copies) {
                results.put(copy.inbox(), await(copy, end));
            }
            return results;
        } finally {
            copies.forEach(copy -> waiting.remove(copy.correlation()));
        }
    }

    private Copy publish(Connection up, Envelope envelope, Domain inbox, Instant now) {
        String correlation = Nonce.random();
        CompletableFuture<SendResult> answer = new CompletableFuture<>();
        Copy copy = new Copy(envelope, inbox, correlation, new CompletableFuture<>(), answer);
        waiting.put(correlation, copy);
        Duration left = Duration.between(now, envelope.expiresAt());
        Mqtt5Publish message =
                Mqtt5Publish.builder()
                        .topic(topics.inbox(inbox))
                        .qos(MqttQos.AT_LEAST_ONCE)
                        .payload(envelope.bytes())
                        .contentType(CONTENT_TYPE)
                        .responseTopic(receipts)
                        .correlationData(HexFormat.of().parseHex(correlation))
                        .messageExpiryInterval(
                                Math.min(
                                        left.plusNanos(999_999_999).toSeconds(),
                                        EXPIRY_SECONDS_MAX))
                        .userProperties()
                        .add("priority", envelope.priority().toString())
                        .add("lane", envelope.lane().toString())
                        .applyUserProperties()
                        .build();
        var _ =
                up.publish(message)
                        .whenComplete((isAwaited, problem) -> {
                            if (problem == null) {
                                copy.handed().complete(isAwaited);
                            } else {
                                copy.handed().completeExceptionally(problem);
                            }
                        });
        return copy;
    }

    /// Waits until the broker has the copy; where it will never get farther, that is the answer.
    private void handOver(Connection up, Copy copy) throws IOException {
        try {
            if (!up.await(copy.handed())) {
                copy.answer()
                        .complete(
                                unanswered(
                                        SendResult.Place.HERE,
                                        "nobody receives for inbox " + copy.inbox()));
            }
        } catch (InterruptedIOException e) {
            throw e;
        } catch (RefusedException e) {
            copy.answer().complete(new SendResult.Failed(e));
        } catch (IOException e) {
            // The receipt may be there all the same.
            copy.answer()
                    .complete(unanswered(SendResult.Place.HERE, String.valueOf(e.getMessage())));
        }
    }

    private SendResult await(Copy copy, long end) throws IOException {
        try {
            return copy.answer().get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return unanswered(
                    SendResult.Place.BROKER,
                    "no receipt within " + options.receiptWait.toMillis() + " ms");
        } catch (ExecutionException e) {
            throw new IOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for a receipt");
        }
    }

    private SendResult unanswered(SendResult.Place at, String reason) {
        return new SendResult.Unanswered(at, options.broker + ": " + reason);
    }

    private synchronized Connection connection() throws IOException {
        Connection known = connection;
        if (known != null && known.isUp()) {
            return known;
        }
        Connection opened =
                Connection.open(
                        options,
                        Connection.Client.passing(),
                        (_, message) -> {
                            message.acknowledge();
                            hear(message);
                        });
        try {
            opened.subscribe(receipts, Mqtt5RetainHandling.DO_NOT_SEND);
        } catch (IOException e) {
            opened.close();
            throw e;
        }
        connection = opened;
        return opened;
    }

    /// What can't be believed is told, and changes nothing.
    private void hear(Mqtt5Publish message) {
        try {
            ReceiptMessage receipt = SignedReceipt.read(message, options, clock.instant());
            Copy copy = waiting.get(receipt.correlation());
            if (copy == null) {
                return;
            }
            if (!receipt.isAbout(copy.envelope(), copy.inbox())) {
                throw new IllegalArgumentException("receipt: found one for another copy");
            }
            copy.answer().complete(receipt.result());
        } catch (IllegalArgumentException e) {
            options.troubles.accept(message.getTopic() + ": " + e.getMessage());
        }
    }

    @Override
    public synchronized void close() {
        if (connection != null) {
            connection.close();
        }
    }
}
