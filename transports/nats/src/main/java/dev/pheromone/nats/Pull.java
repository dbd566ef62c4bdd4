package dev.pheromone.nats;

import io.nats.client.Connection;
import io.nats.client.Message;
import io.nats.client.Subscription;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/// A place to which the server sends one message at a time, when asked. An ordinary request would
/// not do: its answer is known by its subject, and mail comes under its own.
final class Pull {

    /// How patient who asks is.
    enum Patience {
        /// There is one at hand, or none.
        NONE("{\"batch\":1,\"no_wait\":true}"),

        /// What was stored a moment ago may not be at hand yet: the server learns of it by itself.
        A_MOMENT("{\"batch\":1,\"expires\":20000000}");

        private final String request;

        Patience(String request) {
            this.request = request;
        }
    }

    /// The status of an answer that nobody is there to give.
    private static final int NO_RESPONDERS = 503;

    private static final Duration MOMENT = Duration.ofNanos(200_000);

    /// What the server said.
    ///
    /// @param mail null if there is none just now
    record Answer(@Nullable Message mail) {}

    private final Connection connection;
    private final String place;
    private final Subscription answers;

    Pull(Connection connection) {
        this.connection = connection;
        place = connection.createInbox();
        answers = connection.subscribe(place);
    }

    void ask(String subject, Patience patience) {
        connection.publish(subject, place, patience.request.getBytes(StandardCharsets.US_ASCII));
    }

    /// What came, within a moment: mail, word that there is none, or null for nothing yet.
    @Nullable Answer poll() throws IOException {
        try {
            @Nullable Message message = answers.nextMessage(MOMENT);
            if (message == null) {
                return null;
            }
            if (message.isStatusMessage() && message.getStatus().getCode() == NO_RESPONDERS) {
                throw new IOException("nats server: nobody hands out mail just now");
            }
            return new Answer(message.isJetStream() ? message : null);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while asking for mail");
        }
    }

    /// Gives up on an answer; this can't be used again, because the answer may still come.
    void close() {
        try {
            answers.unsubscribe();
        } catch (IllegalStateException e) {
            // The connection is closed, and this with it.
        }
    }
}
