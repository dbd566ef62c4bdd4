package dev.pheromone.nats;

import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Priority;

import io.nats.client.Message;
import io.nats.client.impl.Headers;
import io.nats.client.impl.NatsJetStreamMetaData;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// What the server hands out for one inbox: the first of each class, by a durable consumer a class.
final class HandedCopies {

    private static final long EMPTY_NANOS = Duration.ofMillis(50).toNanos();
    private static final byte[] DONE = ascii("+ACK");
    private static final byte[] NEVER_AGAIN = ascii("+TERM");
    private static final byte[] AT_WORK = ascii("+WPI");
    private static final byte[] NOT_MINE = ascii("-NAK");

    private final ReconnectingConnection connection;
    private final Names names;
    private final MailStream stream;
    private final Domain domain;

    /// When a class had nothing, by [System#nanoTime].
    private final Map<Priority, Long> emptyAt = new ConcurrentHashMap<>();

    /// Classes whose consumer once did not say whether it has something.
    private final Set<Priority> unclear = ConcurrentHashMap.newKeySet();

    HandedCopies(ReconnectingConnection connection, Names names, MailStream stream, Domain domain) {
        this.connection = connection;
        this.names = names;
        this.stream = stream;
        this.domain = domain;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /// The classes that may have something: an empty one costs the server a search through all that
    /// waits, so for a moment it is taken to be empty still.
    Set<Priority> likely() {
        long now = System.nanoTime();
        Set<Priority> likely = EnumSet.allOf(Priority.class);
        emptyAt.forEach((priority, then) -> {
            if (now - then < EMPTY_NANOS) {
                likely.remove(priority);
            }
        });
        return likely;
    }

    /// We sent something of this class.
    void arrived(Priority priority) {
        emptyAt.remove(priority);
    }

    /// We gave up a claim, of whatever class.
    void cameBack() {
        emptyAt.clear();
    }

    /// The next copy of each of these classes that has one. All are asked for at the same time.
    Map<Priority, HandedCopy> next(Set<Priority> classes) throws IOException {
        Map<Priority, HandedCopy> copies = new EnumMap<>(Priority.class);
        Set<Priority> open = EnumSet.copyOf(classes);
        try {
            next(open, copies);
        } catch (IOException e) {
            giveBackSoon(copies.values());
            throw e;
        }
        return copies;
    }

    private void next(Set<Priority> open, Map<Priority, HandedCopy> copies) throws IOException {
        while (!open.isEmpty()) {
            Map<String, Priority> consumers = new LinkedHashMap<>();
            for (Priority priority : open) {
                consumers.put(Names.consumer(domain, priority), priority);
            }
            ReconnectingConnection.Pulled pulled =
                    connection.pull(names.mailStream(), consumers.keySet());
            Map<String, Message> messages = pulled.mail();
            for (Priority priority : open) {
                String consumer = Names.consumer(domain, priority);
                if (!messages.containsKey(consumer)) {
                    emptyAt.put(priority, System.nanoTime());
                }
                if (pulled.silent().contains(consumer)) {
                    unclear.add(priority);
                }
            }
            // Behind what is no mail there may be some.
            open.clear();
            for (Map.Entry<String, Message> message : messages.entrySet()) {
                Priority priority = Objects.requireNonNull(consumers.get(message.getKey()));
                @Nullable HandedCopy copy = copy(priority, message.getValue());
                if (copy == null) {
                    open.add(priority);
                } else {
                    copies.put(priority, copy);
                }
            }
        }
    }

    /// Whether there is mail that was not handed out though we asked for it. Only asked of who kept
    /// silent, for it costs the server more than mail does.
    boolean isHeldBack() throws IOException {
        for (Priority priority : Set.copyOf(unclear)) {
            if (connection.notHandedOut(names.mailStream(), Names.consumer(domain, priority)) > 0) {
                return true;
            }
            unclear.remove(priority);
        }
        return false;
    }

    private @Nullable HandedCopy copy(Priority priority, Message message) throws IOException {
        NatsJetStreamMetaData delivery = message.metaData();
        String name = Names.lastPart(message.getSubject());
        if (!EnvelopeId.isId(name)) {
            // Somebody wrote past us. It must not stop the queue, and not vanish either.
            String place = Long.toString(delivery.streamSequence());
            stream.archive(domain, State.DEAD, place, message.getData(), "its subject has no id");
            connection.tell(message.getReplyTo(), NEVER_AGAIN);
            return null;
        }
        return new HandedCopy(
                priority,
                EnvelopeId.parse(name),
                message.getData(),
                delivery.streamSequence(),
                delivery.deliveredCount() == 1,
                firstSeen(message.getHeaders(), delivery.timestamp().toInstant()),
                message.getReplyTo());
    }

    static Instant firstSeen(@Nullable Headers headers, Instant storedAt) {
        @Nullable String text = headers == null ? null : headers.getFirst(MailStream.FIRST_SEEN);
        try {
            return text == null ? storedAt : Instant.parse(text);
        } catch (DateTimeParseException e) {
            return storedAt;
        }
    }

    void done(String ackSubject) {
        connection.tell(ackSubject, DONE);
    }

    void neverAgain(String ackSubject) {
        connection.tell(ackSubject, NEVER_AGAIN);
    }

    /// The server is not to hand it to anybody else for another while.
    void atWork(String ackSubject) {
        connection.tell(ackSubject, AT_WORK);
    }

    /// Not before `delay` is over.
    void later(String ackSubject, Duration delay) {
        connection.tell(ackSubject, ascii("-NAK {\"delay\":" + Math.max(1, delay.toNanos()) + "}"));
    }

    /// Whoever asks may have these, once the server has heard of it.
    void giveBackSoon(Collection<HandedCopy> copies) {
        copies.forEach(copy -> connection.tell(copy.ackSubject(), NOT_MINE));
    }

    /// Whoever asks next may have it. When this returns, the server knows; or it can't be reached,
    /// and hands it out when it was not told anything for long enough.
    void giveBack(String ackSubject) {
        connection.tellAndWait(ackSubject, NOT_MINE);
    }
}
