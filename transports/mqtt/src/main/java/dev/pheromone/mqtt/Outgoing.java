package dev.pheromone.mqtt;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import com.hivemq.client.mqtt.mqtt5.message.subscribe.Mqtt5RetainHandling;

import dev.pheromone.AwayException;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Envelope;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Sends mail, and waits for its receipts. The connection is made when it is needed.
final class Outgoing implements Closeable {

    /// The user property by which a sender asks how its copy ends, and its one value.
    static final String HEAR = "hear";

    static final String ENDED = "ended";

    /// How often a sender asks again that waits for an end: receivers forget who asked when they
    /// are started again.
    private static final Duration ASK_AGAIN = Duration.ofSeconds(20);

    /// The most that a message expiry can say: 136 years.
    private static final long EXPIRY_SECONDS_MAX = 0xFFFF_FFFFL;

    private final MqttOptions options;
    private final InstantSource clock;

    /// Where this sender hears its receipts: nobody else knows it who can't see the mail itself.
    private final String receipts;

    private final Map<String, Copy> waiting = new ConcurrentHashMap<>();
    private @Nullable Connection connection;

    Outgoing(MqttOptions options, InstantSource clock) {
        this.options = options;
        this.clock = clock;
        receipts = options.topics.receipt(Topics.nonce());
    }

    /// One copy on its way.
    ///
    /// @param taken when the broker confirmed the copy, in nanoseconds
    /// @param answer what the receiver says when the copy came
    /// @param ended how the copy ended; empty if it never came to be one
    private record Copy(
            Envelope envelope,
            Domain inbox,
            String correlation,
            CompletableFuture<Long> taken,
            CompletableFuture<SendResult> answer,
            CompletableFuture<Optional<State>> ended) {

        Copy(Envelope envelope, Domain inbox) {
            this(
                    envelope,
                    inbox,
                    Topics.nonce(),
                    new CompletableFuture<>(),
                    new CompletableFuture<>(),
                    new CompletableFuture<>());
        }
    }

    /// Sends a copy to each of `inboxes`, and says what became of it.
    Map<Domain, SendResult> send(Envelope envelope, Collection<Domain> inboxes) throws IOException {
        Map<Domain, SendResult> results = new LinkedHashMap<>();
        Connection up = connection();
        List<Copy> copies = inboxes.stream().map(inbox -> new Copy(envelope, inbox)).toList();
        try {
            long began = System.nanoTime();
            for (Copy copy : copies) {
                waiting.put(copy.correlation(), copy);
                publish(up, copy);
            }
            for (Copy copy : copies) {
                results.put(copy.inbox(), await(copy, began));
            }
            return results;
        } catch (ExecutionException e) {
            throw new IOException(e);
        } catch (InterruptedException e) {
            throw interrupted();
        } finally {
            copies.forEach(copy -> waiting.remove(copy.correlation()));
        }
    }

    /// Publishes `copy`, and answers for the receiver where the copy gets no farther, or where
    /// nobody waits for a receipt.
    private void publish(Connection up, Copy copy) {
        CompletableFuture<SendResult> answer = copy.answer();
        var _ =
                up.publish(message(copy, false))
                        .whenComplete((isAwaited, problem) -> {
                            if (problem != null) {
                                answer.complete(notTaken(problem));
                            } else if (!isAwaited) {
                                answer.complete(
                                        unanswered(
                                                SendResult.Place.HERE,
                                                "nobody receives for inbox " + copy.inbox()));
                            } else if (options.receiptWait.isZero()) {
                                answer.complete(noReceipt());
                            }
                            copy.taken().complete(System.nanoTime());
                        });
    }

    /// What is said of `copy` in the end. The thread that sends waits by itself: a timer for each
    /// copy would cost another thread's turn.
    ///
    /// @param began when the copy was published, in nanoseconds
    private SendResult await(Copy copy, long began)
            throws ExecutionException, InterruptedException {
        long receiptWait = options.receiptWait.toNanos();
        try {
            return left(copy.answer(), began + receiptWait);
        } catch (TimeoutException e) {
            // The broker may have been slow, and the receiver gets its time all the same.
        }
        try {
            long taken = left(copy.taken(), began + options.patience.toNanos());
            return left(copy.answer(), taken + receiptWait);
        } catch (TimeoutException e) {
            return copy.taken().isDone() ? noReceipt() : notTaken(e);
        }
    }

    /// The answer, if it is there before the time `end`, in nanoseconds.
    private static <T> T left(CompletableFuture<T> answer, long end)
            throws ExecutionException, InterruptedException, TimeoutException {
        return answer.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
    }

    private SendResult noReceipt() {
        return unanswered(SendResult.Place.BROKER, "no receipt yet");
    }

    private SendResult notTaken(Throwable problem) {
        IOException why = BrokerProblem.of(options, problem);
        return why instanceof RefusedException
                ? new SendResult.Failed(why)
                : new SendResult.Unanswered(
                        SendResult.Place.HERE, String.valueOf(why.getMessage()));
    }

    private SendResult unanswered(SendResult.Place at, String reason) {
        return new SendResult.Unanswered(at, options.broker + ": " + reason);
    }

    private Mqtt5Publish message(Copy copy, boolean hearsEnd) {
        Envelope envelope = copy.envelope();
        Duration left = Duration.between(clock.instant(), envelope.expiresAt());
        var properties =
                Mqtt5Publish.builder()
                        .topic(options.topics.inbox(copy.inbox()))
                        .qos(MqttQos.AT_LEAST_ONCE)
                        .payload(envelope.bytes())
                        .contentType("text/markdown")
                        .responseTopic(receipts)
                        .correlationData(HexFormat.of().parseHex(copy.correlation()))
                        .messageExpiryInterval(
                                Math.clamp(
                                        left.plusNanos(999_999_999).toSeconds(),
                                        1,
                                        EXPIRY_SECONDS_MAX))
                        .userProperties()
                        .add("priority", envelope.priority().toString())
                        .add("lane", envelope.lane().toString());
        return (hearsEnd ? properties.add(HEAR, ENDED) : properties).applyUserProperties().build();
    }

    /// Asks how a copy ended, by sending the same mail again, and waits at most `patience` for the
    /// answer.
    ///
    /// @param permission is asked before anything is sent
    Optional<State> awaitEnd(
            Envelope envelope, Domain inbox, Duration patience, MqttCarrier.Permission permission)
            throws IOException {
        Copy copy = new Copy(envelope, inbox);
        waiting.put(copy.correlation(), copy);
        long end = System.nanoTime() + patience.toNanos();
        boolean isAsked = false;
        try {
            for (long left = patience.toNanos(); left > 0; left = end - System.nanoTime()) {
                permission.require();
                try {
                    if (clock.instant().isBefore(envelope.expiresAt())) {
                        Connection up = connection();
                        var _ = up.await(up.publish(message(copy, true)));
                        isAsked = true;
                    }
                } catch (AwayException e) {
                    // A broker that was there before may come back.
                    if (!isAsked) {
                        throw e;
                    }
                }
                try {
                    long wait = Math.min(left, ASK_AGAIN.toNanos());
                    return copy.ended().get(wait, TimeUnit.NANOSECONDS);
                } catch (TimeoutException e) {
                    // The receiver may have been started again meanwhile.
                }
            }
            return Optional.empty();
        } catch (ExecutionException e) {
            throw new IOException(e);
        } catch (InterruptedException e) {
            throw interrupted();
        } finally {
            waiting.remove(copy.correlation());
        }
    }

    private static IOException interrupted() {
        Thread.currentThread().interrupt();
        return new InterruptedIOException("interrupted while waiting for a receipt");
    }

    /// The connection of this sender, which hears receipts.
    synchronized Connection connection() throws IOException {
        if (connection == null || !connection.isUp()) {
            connection =
                    Connection.passing(
                            options,
                            List.of(receipts),
                            Mqtt5RetainHandling.DO_NOT_SEND,
                            this::hear);
        }
        return connection;
    }

    /// What can't be believed is told, and changes nothing.
    private void hear(Mqtt5Publish message) {
        try {
            ReceiptMessage receipt = ReceiptMessage.read(message, options, clock.instant());
            Copy copy = waiting.get(receipt.correlation());
            if (copy == null) {
                return;
            }
            if (!receipt.isAbout(copy.envelope(), copy.inbox())) {
                throw new IllegalArgumentException("receipt: found one for another copy");
            }
            switch (receipt.word()) {
                case ReceiptMessage.Word.Came(var result) -> {
                    copy.answer().complete(result);
                    if (result instanceof SendResult.Rejected
                            || result instanceof SendResult.Conflict) {
                        copy.ended().complete(Optional.empty());
                    }
                }
                case ReceiptMessage.Word.Ended(var state) ->
                        copy.ended().complete(Optional.of(state));
            }
        } catch (RuntimeException e) {
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
