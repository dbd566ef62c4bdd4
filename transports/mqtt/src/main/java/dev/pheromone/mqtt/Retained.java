package dev.pheromone.mqtt;

import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import com.hivemq.client.mqtt.mqtt5.message.subscribe.Mqtt5RetainHandling;

import dev.pheromone.AwayException;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// A look at the messages that the broker retains under some topics, and at how they change.
final class Retained implements Closeable {

    /// A broker sends what it retains at once, but does not say when that was all: after so long
    /// without a message, it was.
    static final Duration QUIET = Duration.ofMillis(300);

    private final BlockingQueue<Mqtt5Publish> heard = new LinkedBlockingQueue<>();
    private final MqttOptions options;
    private final Connection connection;
    private final Map<String, byte[]> found = new TreeMap<>();

    Retained(MqttOptions options, Collection<String> filters) throws IOException {
        this.options = options;
        connection = Connection.passing(options, filters, Mqtt5RetainHandling.SEND, heard::add);
    }

    /// Everything that is retained, by topic.
    Map<String, byte[]> all() throws IOException {
        while (hear(options.quiet)) {}
        return found;
    }

    /// What is retained as soon as something is, or nothing.
    Map<String, byte[]> any() throws IOException {
        while (found.isEmpty() && hear(options.quiet)) {}
        return found;
    }

    /// Waits for one more message, for at most `patience`, and says whether one came.
    ///
    /// @throws AwayException if the connection is lost: then nobody knows what else is retained
    boolean hear(Duration patience) throws IOException {
        try {
            Mqtt5Publish message = heard.poll(patience.toNanos(), TimeUnit.NANOSECONDS);
            if (message == null) {
                if (!connection.isUp()) {
                    throw new AwayException(
                            options.broker + ": the connection is lost, expected what is retained",
                            connection.end().join());
                }
                return false;
            }
            String topic = message.getTopic().toString();
            if (message.getPayload().isPresent()) {
                found.put(topic, message.getPayloadAsBytes());
            } else {
                found.remove(topic);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while looking at retained messages");
        }
    }

    @Override
    public void close() {
        connection.close();
    }
}
