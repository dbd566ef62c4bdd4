package dev.pheromone.session.bridge;

import dev.pheromone.file.remote.RemoteRecords;
import dev.pheromone.mqtt.MqttCarrier;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.Disclosure;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseLine;
import dev.pheromone.rse.RseLog;
import dev.pheromone.rse.RseReading;
import dev.pheromone.session.caller.FileProblem;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// Publishes what comes to the event log by a broker, as far as its readers may know it. Who was
/// not listening has missed it: the log has it all.
final class EventFeed implements AutoCloseable {

    private static final Duration LOOK = Duration.ofMillis(250);
    private static final Duration TROUBLE_PAUSE = Duration.ofSeconds(5);

    private final RseLog log;
    private final RemoteRecords remote;
    private final MqttCarrier to;
    private final Disclosure disclosure;
    private final Consumer<String> troubles;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = Thread.ofVirtual().name("events").unstarted(this::run);

    /// @param remote says whether a lock forbids to publish
    /// @param to closed with this
    EventFeed(RseLog log, RemoteRecords remote, MqttCarrier to, Consumer<String> troubles) {
        this.log = log;
        this.remote = remote;
        this.to = to;
        this.disclosure = new Disclosure(to.reach());
        this.troubles = troubles;
    }

    void start() {
        thread.start();
    }

    private void run() {
        Cursor from = Cursor.START;
        boolean isAtEnd = false;
        while (closed.getCount() > 0) {
            try (RseReading reading = log.read(from)) {
                while (closed.getCount() > 0) {
                    Optional<RseEntry> entry = isAtEnd ? reading.next(LOOK) : reading.next();
                    if (isAtEnd && entry.isPresent()) {
                        publish(entry.get());
                    }
                    isAtEnd |= entry.isEmpty();
                    from = reading.cursor();
                }
            } catch (IOException e) {
                troubles.accept("events are not published: " + FileProblem.describe(e));
                pause();
            } catch (RuntimeException e) {
                troubles.accept("events are not published: " + e);
                pause();
            }
        }
    }

    private void publish(RseEntry entry) throws IOException {
        try {
            if (entry instanceof RseEntry.Read read) {
                Optional<RseEvent> shown = disclosure.of(read.event());
                if (shown.isPresent()) {
                    remote.requireFree();
                    to.publish(
                            new String(RseLine.write(shown.get()), StandardCharsets.UTF_8).strip());
                }
            }
        } catch (RuntimeException e) {
            // One event that can't be published keeps back no other.
            troubles.accept("an event is not published: " + e);
        }
    }

    private void pause() {
        try {
            boolean _ = closed.await(TROUBLE_PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed.countDown();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        to.close();
    }
}
