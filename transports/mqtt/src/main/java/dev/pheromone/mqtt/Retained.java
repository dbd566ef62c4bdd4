package dev.pheromone.mqtt;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import com.hivemq.client.mqtt.mqtt5.message.subscribe.Mqtt5RetainHandling;

import dev.pheromone.AwayException;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// A look at the messages that the broker retains under some topics, and at how they change.
///
/// No broker says when that was all. So the look publishes a marker to itself after it has
/// subscribed, and another when that has come back. A slow broker is slow with both: what it
/// retains takes a few steps more through its queues than a marker does, each behind what was there
/// before. So the look ends when several markers in a row came back with nothing between them.
final class Retained implements Closeable {

    /// How many markers come back in a row when all that is retained has come. HiveMQ sends 25
    /// messages at a time, and begins with the next when these are on their way: two markers were
    /// enough for that, also where every answer took a second.
    private static final int MARKERS = 5;

    /// How long nothing may come where a client may not hear its own markers.
    private static final Duration QUIET = Duration.ofMillis(300);

    /// What came, in its order; empty for the end of the connection.
    private final BlockingQueue<Optional<Mqtt5Publish>> heard = new LinkedBlockingQueue<>();

    private final MqttOptions options;
    private final Connection connection;
    private final Map<String, byte[]> found = new TreeMap<>();
    private final Mqtt5Publish marker;

    /// How many markers came back since something else did.
    private int calm;

    /// Whether the client may hear its own markers, as far as is known.
    private boolean isMarked;

    /// Whether the broker refused a marker; set by the thread that brings its answer.
    private volatile boolean isRefused;

    Retained(MqttOptions options, Collection<String> filters) throws IOException {
        this.options = options;
        marker =
                Mqtt5Publish.builder()
                        .topic(options.topics.receipt(Topics.nonce()))
                        .qos(MqttQos.AT_LEAST_ONCE)
                        .build();
        connection =
                Connection.passing(
                        options,
                        List.of(),
                        Mqtt5RetainHandling.DO_NOT_SEND,
                        message -> heard.add(Optional.of(message)));
        var _ = connection.end().thenAccept(_ -> heard.add(Optional.empty()));
        try {
            for (String filter : filters) {
                connection.subscribe(filter, Mqtt5RetainHandling.SEND);
            }
            subscribeToMarkers();
            mark();
        } catch (IOException e) {
            // Where the connection is lost, what came before is heard all the same.
            if (connection.isUp()) {
                connection.close();
                throw e;
            }
        }
    }

    /// A client that may not hear its markers has to do without.
    private void subscribeToMarkers() throws IOException {
        try {
            connection.subscribe(marker.getTopic().toString(), Mqtt5RetainHandling.DO_NOT_SEND);
            isMarked = true;
        } catch (RefusedException e) {
            doWithout();
        }
    }

    private void doWithout() {
        isMarked = false;
        calm = MARKERS;
    }

    /// Publishes the next marker, unless enough came back.
    private void mark() {
        if (calm >= MARKERS) {
            return;
        }
        var _ =
                connection
                        .publish(marker)
                        .whenComplete((_, problem) -> {
                            if (problem != null) {
                                isRefused = true;
                                heard.add(Optional.of(marker));
                            }
                        });
    }

    /// Everything that is retained, by topic.
    Map<String, byte[]> all() throws IOException {
        while (!isOver() && hear(patience())) {}
        return found;
    }

    /// What is retained as soon as something is, or nothing.
    Map<String, byte[]> any() throws IOException {
        while (found.isEmpty() && !isOver() && hear(patience())) {}
        return found;
    }

    /// What was heard so far, by topic.
    Map<String, byte[]> found() {
        return found;
    }

    private boolean isOver() {
        return isMarked && calm >= MARKERS;
    }

    private Duration patience() {
        return isMarked ? options.patience : QUIET;
    }

    /// Waits for one more message, for at most `patience`, and says whether one came.
    ///
    /// @throws AwayException if the connection is lost: then nobody knows what else is retained
    boolean hear(Duration patience) throws IOException {
        try {
            Optional<Mqtt5Publish> next = heard.poll(patience.toNanos(), TimeUnit.NANOSECONDS);
            if (next == null) {
                if (calm < MARKERS) {
                    throw new AwayException(
                            options.broker + ": no answer, expected what is retained",
                            new TimeoutException());
                }
                return false;
            }
            if (next.isEmpty()) {
                heard.add(next);
                throw new AwayException(
                        options.broker + ": the connection is lost, expected what is retained",
                        connection.end().join());
            }
            take(next.get());
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while looking at retained messages");
        }
    }

    private void take(Mqtt5Publish message) {
        String topic = message.getTopic().toString();
        if (message.getTopic().equals(marker.getTopic())) {
            if (isRefused) {
                doWithout();
            } else {
                calm++;
                mark();
            }
            return;
        }
        // After the last marker this is news, and starts no look anew.
        calm = calm < MARKERS ? 0 : calm;
        if (message.getPayload().isPresent()) {
            found.put(topic, message.getPayloadAsBytes());
        } else {
            found.remove(topic);
        }
    }

    @Override
    public void close() {
        connection.close();
    }
}
