package dev.pheromone.nats;

import io.nats.client.Connection;
import io.nats.client.Message;
import io.nats.client.Subscription;
import io.nats.client.impl.Headers;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;

/// Questions of one thread to the server, several of which may be on their way at a time.
///
/// Who asks reads the answers as well. The library's own requests are answered by way of a thread
/// of the library's, which costs about a third of the time that a question takes.
final class Exchange implements AutoCloseable {

    /// How long one question waits for its answer.
    static final Duration ANSWER_MAX = Duration.ofSeconds(2);

    /// The status of an answer that nobody is there to give.
    private static final int NO_RESPONDERS = 503;

    /// An answer that is on its way.
    interface Later<T> {
        T get() throws IOException;
    }

    private final Connection connection;
    private final Queue<Exchange> idle;
    private final String place;
    private final Subscription answers;

    /// What nobody waited for yet; and what came while another answer was waited for.
    private final Set<String> open = new HashSet<>();

    private final Map<String, Message> early = new HashMap<>();
    private long questions;

    private Exchange(Connection connection, Queue<Exchange> idle) {
        this.connection = connection;
        this.idle = idle;
        place = connection.createInbox();
        answers = connection.subscribe(place + ".*");
    }

    /// One of `idle`, to which it returns; a new one if there is none.
    static Exchange open(Connection connection, Queue<Exchange> idle) {
        @Nullable Exchange free = idle.poll();
        return free == null ? new Exchange(connection, idle) : free;
    }

    /// Asks now; the answer is waited for later.
    ///
    /// @throws IllegalStateException if the connection is closed
    Later<Message> ask(String subject, @Nullable Headers headers, byte[] data) {
        String number = Long.toString(questions++);
        try {
            connection.publish(subject, place + "." + number, headers, data);
        } catch (IllegalArgumentException e) {
            // Larger than the server takes; who configured it may allow less than an envelope has.
            return () -> {
                throw new RefusedException("nats server: takes no such message", e);
            };
        }
        open.add(number);
        return () -> answer(number);
    }

    private Message answer(String number) throws IOException {
        @Nullable Message answer = early.remove(number);
        long end = System.nanoTime() + ANSWER_MAX.toNanos();
        while (answer == null) {
            @Nullable Message next = next(end - System.nanoTime());
            if (next == null) {
                throw new IOException("nats server: no answer");
            }
            String answered = Names.lastPart(next.getSubject());
            // Whatever else comes is too late.
            if (answered.equals(number)) {
                answer = next;
            } else if (open.contains(answered)) {
                early.put(answered, next);
            }
        }
        open.remove(number);
        if (answer.isStatusMessage() && answer.getStatus().getCode() == NO_RESPONDERS) {
            throw new IOException("nats server: nobody is there to answer");
        }
        return answer;
    }

    private @Nullable Message next(long nanos) throws IOException {
        try {
            return nanos <= 0 ? null : answers.nextMessage(Duration.ofNanos(nanos));
        } catch (IllegalStateException e) {
            throw new IOException("nats server: the connection is closed", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while asking the nats server");
        }
    }

    /// Gives up on what was not answered yet.
    @Override
    public void close() {
        open.clear();
        early.clear();
        idle.add(this);
    }
}
