package dev.pheromone.mqtt;

import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import com.hivemq.client.mqtt.mqtt5.message.subscribe.Mqtt5RetainHandling;

import dev.pheromone.Domain;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// A look at who receives, without joining.
final class Presences implements AutoCloseable {

    /// A broker sends what it keeps at once, but does not say when that was all: after so long
    /// without a message, it was.
    private static final Duration QUIET = Duration.ofMillis(300);

    private final Topics topics;
    private final BlockingQueue<Mqtt5Publish> heard = new LinkedBlockingQueue<>();
    private final Connection connection;
    private final Map<Domain, Presence> live = new TreeMap<>();

    /// @param filter which presences are looked at
    Presences(MqttOptions options, String filter) throws IOException {
        topics = options.topics;
        connection =
                Connection.open(
                        options,
                        Connection.Client.passing(),
                        (_, message) -> {
                            message.acknowledge();
                            heard.add(message);
                        });
        try {
            connection.subscribe(filter, Mqtt5RetainHandling.SEND);
        } catch (IOException e) {
            connection.close();
            throw e;
        }
    }

    /// Somebody who is there.
    Optional<Presence> first() throws IOException {
        while (live.isEmpty() && hear(QUIET)) {}
        return live.values().stream().findFirst();
    }

    /// Everybody who is there.
    Map<Domain, Presence> all() throws IOException {
        while (hear(QUIET)) {}
        return live;
    }

    /// One of `inboxes` for which somebody stays. Who vanished may seem to be there for a while.
    Optional<Domain> staying(Collection<Domain> inboxes, Duration vanishing) throws IOException {
        var _ = all();
        long end = System.nanoTime() + vanishing.toNanos();
        while (true) {
            Optional<Domain> found = live.keySet().stream().filter(inboxes::contains).findFirst();
            long left = end - System.nanoTime();
            if (found.isEmpty() || left <= 0) {
                return found;
            }
            var _ = hear(Duration.ofNanos(left));
        }
    }

    private boolean hear(Duration patience) throws IOException {
        try {
            Mqtt5Publish message = heard.poll(patience.toNanos(), TimeUnit.NANOSECONDS);
            if (message == null) {
                return false;
            }
            topics.inboxOfPresence(message.getTopic().toString())
                    .ifPresent(inbox ->
                            Presence.parse(message.getPayloadAsBytes())
                                    .ifPresentOrElse(
                                            presence -> live.put(inbox, presence),
                                            () -> live.remove(inbox)));
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while looking who receives");
        }
    }

    @Override
    public void close() {
        connection.close();
    }
}
