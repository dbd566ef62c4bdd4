package dev.pheromone.server;

import dev.pheromone.Discreet;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.Disclosure;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseLine;
import dev.pheromone.rse.RseLog;
import dev.pheromone.rse.RseReading;
import dev.pheromone.session.ServedSession;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/// The event log: a page of it, or all that comes.
final class EventRoutes implements Closeable {

    private static final int FEED_LINES = 1_000;

    /// How long a browser whose pairing was taken back may go on.
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

    private final RseLog log;
    private final Disclosure disclosure;
    private final ServerLimits limits;
    private final Predicate<String> paired;
    private final EventHub hub;
    private final Semaphore places;
    private final Set<EventStream> streams = ConcurrentHashMap.newKeySet();

    /// @param paired whether the browser with this secret is still paired
    EventRoutes(ServedSession session, ServerLimits limits, Predicate<String> paired) {
        this.paired = paired;
        this.log = session.log();
        this.disclosure = session.disclosure();
        this.limits = limits;
        this.hub = new EventHub(log, disclosure, limits.backlogMax());
        this.places = new Semaphore(limits.streamsMax());
    }

    List<Route> routes() {
        return List.of(
                new Route("GET", "/rse/feed", (call, _) -> feed(call)),
                new Route("GET", "/rse/sse", (call, _) -> follow(call)));
    }

    private Reply feed(Call call) throws IOException {
        Cursor after = call.parameter("after").map(EventRoutes::cursor).orElse(Cursor.START);
        int linesMax = call.count("limit", FEED_LINES, limits.feedLinesMax());
        StringBuilder lines = new StringBuilder();
        int looked = 0;
        int count = 0;
        int bad = 0;
        try (RseReading reading = log.read(after)) {
            boolean more = true;
            // What may not leave counts as looked at: one answer never reads a whole log.
            while (looked < linesMax && lines.length() < limits.feedBytesMax()) {
                Optional<RseEntry> entry = reading.next();
                if (entry.isEmpty()) {
                    more = false;
                    break;
                }
                switch (entry.get()) {
                    case RseEntry.Read read -> {
                        looked++;
                        Optional<RseEvent> shown = disclosure.of(read.event());
                        if (shown.isPresent()) {
                            count++;
                            lines.append(
                                    new String(RseLine.write(shown.get()), StandardCharsets.UTF_8));
                        }
                    }
                    case RseEntry.Bad line -> {
                        looked++;
                        bad++;
                        lines.append(
                                        Json.obj()
                                                .put("bad", true)
                                                .put("offset", line.offset())
                                                .put("reason", EventFrame.UNREADABLE))
                                .append('\n');
                    }
                    case RseEntry.Restart restart ->
                            lines.append(
                                            Json.obj()
                                                    .put("restart", true)
                                                    .put("reason", Discreet.text(restart.reason())))
                                    .append('\n');
                }
            }
            lines.append(
                            Json.obj()
                                    .put("ok", true)
                                    .put("count", count)
                                    .put("bad", bad)
                                    .put("more", more)
                                    .put("cursor", reading.cursor().toString()))
                    .append('\n');
        }
        return Reply.text(200, "application/x-ndjson", lines.toString());
    }

    private static Cursor cursor(String text) {
        try {
            return Cursor.parse(text);
        } catch (IllegalArgumentException e) {
            throw Problem.of(
                            400,
                            "usage",
                            "cursor: expected 0, or an id as the event stream gave it")
                    .thrown();
        }
    }

    private Reply follow(Call call) throws IOException {
        Cursor after =
                call.header("Last-Event-ID")
                        .filter(id -> !id.isEmpty())
                        .or(() -> call.parameter("after"))
                        .map(EventRoutes::cursor)
                        .orElse(null);
        // Under a lock it is refused here, while there is a status to say so with.
        requireReadable(log);
        if (!places.tryAcquire()) {
            throw Problem.of(503, "busy", "too many clients follow the event log")
                    .with("Retry-After", "10")
                    .thrown();
        }
        BooleanSupplier allowed = allowed(call);
        return Reply.stream("text/event-stream", out -> follow(after, allowed, out))
                .closing(places::release);
    }

    /// Whether the client may still follow the log: the pairing of a browser can be taken back.
    private BooleanSupplier allowed(Call call) {
        if (call.actor() == null) {
            return () -> true;
        }
        String secret = Gatekeeper.shown(call);
        AtomicLong looked = new AtomicLong(System.nanoTime());
        return () -> {
            long now = System.nanoTime();
            if (now - looked.get() < LOOK_AGAIN.toNanos()) {
                return true;
            }
            looked.set(now);
            return paired.test(secret);
        };
    }

    /// Throws if a lock forbids to read the log: only a read finds that out.
    static void requireReadable(RseLog log) throws IOException {
        try (RseReading reading = log.read(Cursor.START)) {
            Optional<RseEntry> _ = reading.next();
        }
    }

    private void follow(@Nullable Cursor after, BooleanSupplier allowed, OutputStream out)
            throws IOException {
        EventStream stream =
                new EventStream(log, disclosure, hub, limits.heartbeat(), allowed, out);
        streams.add(stream);
        try {
            stream.run(after);
        } catch (InterruptedException e) {
            throw new InterruptedIOException("the client was too slow");
        } finally {
            streams.remove(stream);
        }
    }

    /// How many clients follow the log now.
    int streaming() {
        return streams.size();
    }

    @Override
    public void close() {
        hub.close();
    }
}
