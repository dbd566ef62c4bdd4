package dev.pheromone.nats;

import io.nats.client.Connection;
import io.nats.client.Message;
import io.nats.client.Subscription;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/// A place to which the server sends messages of consumers, one of each that is asked. An ordinary
/// request would not do: its answer is known by its subject, and mail comes under its own.
final class Pull {

    /// One that is at hand, or none.
    private static final byte[] REQUEST =
            "{\"batch\":1,\"no_wait\":true}".getBytes(StandardCharsets.US_ASCII);

    /// The status of an answer that nobody is there to give.
    private static final int NO_RESPONDERS = 503;

    /// Nothing comes later than this.
    private static final Duration LATE_MAX = Duration.ofSeconds(10);

    /// What the server said.
    sealed interface Answer {
        /// The consumer that it is from.
        String consumer();

        /// A message.
        record Mail(String consumer, Message message) implements Answer {}

        /// There is none just now.
        record None(String consumer) implements Answer {}

        /// Nobody is there to say.
        record Nobody(String consumer) implements Answer {}
    }

    private final Connection connection;
    private final String place;
    private final Subscription answers;

    Pull(Connection connection) {
        this.connection = connection;
        place = connection.createInbox();
        answers = connection.subscribe(place + ".*");
    }

    void ask(String stream, String consumer) {
        connection.publish(
                "$JS.API.CONSUMER.MSG.NEXT." + stream + "." + consumer,
                place + "." + consumer,
                REQUEST);
    }

    /// The next answer, or null if none comes in time.
    @Nullable Answer next(Duration time) throws IOException {
        try {
            @Nullable Message message = answers.nextMessage(time);
            if (message == null) {
                return null;
            }
            if (message.isJetStream()) {
                return new Answer.Mail(message.metaData().getConsumer(), message);
            }
            String consumer = Names.lastPart(message.getSubject());
            return message.isStatusMessage() && message.getStatus().getCode() == NO_RESPONDERS
                    ? new Answer.Nobody(consumer)
                    : new Answer.None(consumer);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while asking for mail");
        }
    }

    /// Gives up on so many answers; this can't be used again. Mail that comes late all the same is
    /// given back at once: the server takes it for handed out.
    void abandon(int unanswered) {
        Thread _ = Thread.ofVirtual().name("late mail").start(() -> giveBack(unanswered));
    }

    private void giveBack(int unanswered) {
        try {
            for (int i = 0; i < unanswered; i++) {
                @Nullable Answer answer = next(LATE_MAX);
                if (answer instanceof Answer.Mail(var _, var message)) {
                    message.nak();
                }
            }
            answers.unsubscribe();
        } catch (IOException | IllegalStateException e) {
            // The connection is closed, and this with it.
        }
    }
}
