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
/// No broker says when that was all. So the look publishes a message to itself after it has
/// subscribed, and what a slow broker still has to send comes before that message. A broker may
/// send what it retains a little later than others do: the look ends when nothing more has come for
/// a moment.
final class Retained implements Closeable {

    /// How long nothing may come, once the look has heard itself.
    static final Duration QUIET = Duration.ofMillis(300);

    /// What came, in its order; empty for the end of the connection.
    private final BlockingQueue<Optional<Mqtt5Publish>> heard = new LinkedBlockingQueue<>();

    private final MqttOptions options;
    private final Connection connection;
    private final Map<String, byte[]> found = new TreeMap<>();
    private final Mqtt5Publish marker;
    private boolean isMarkerHeard;

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
            mark();
        } catch (IOException e) {
            // Where the connection is lost, what came before is heard all the same.
            if (connection.isUp()) {
                connection.close();
                throw e;
            }
        }
    }

    /// Publishes the marker. A client that may not do so has to do without.
    private void mark() throws IOException {
        try {
            connection.subscribe(marker.getTopic().toString(), Mqtt5RetainHandling.DO_NOT_SEND);
        } catch (RefusedException e) {
            isMarkerHeard = true;
            return;
        }
        var _ =
                connection
                        .publish(marker)
                        .whenComplete((_, problem) -> {
                            if (problem != null) {
                                heard.add(Optional.of(marker));
                            }
                        });
    }

    /// Everything that is retained, by topic.
    Map<String, byte[]> all() throws IOException {
        while (hear(patience())) {}
        return found;
    }

    /// What is retained as soon as something is, or nothing.
    Map<String, byte[]> any() throws IOException {
        while (found.isEmpty() && hear(patience())) {}
        return found;
    }

    /// What was heard so far, by topic.
    Map<String, byte[]> found() {
        return found;
    }

    private Duration patience() {
        return isMarkerHeard ? options.quiet : options.patience;
    }

    /// Waits for one more message, for at most `patience`, and says whether one came.
    ///
    /// @throws AwayException if the connection is lost: then nobody knows what else is retained
    boolean hear(Duration patience) throws IOException {
        try {
            Optional<Mqtt5Publish> next = heard.poll(patience.toNanos(), TimeUnit.NANOSECONDS);
            if (next == null) {
                if (!isMarkerHeard) {
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
            isMarkerHeard = true;
        } else if (message.getPayload().isPresent()) {
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
