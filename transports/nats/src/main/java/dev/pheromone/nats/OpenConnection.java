package dev.pheromone.nats;

import dev.pheromone.AwayException;

import io.nats.client.Connection;
import io.nats.client.JetStreamManagement;
import io.nats.client.JetStreamOptions;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;

/// A connection, and what is open on it for whoever asks next. It comes back by itself when it was
/// lost, until it is over: then it never does.
record OpenConnection(
        Connection connection,
        JetStreamManagement management,
        Queue<Pull> idlePulls,
        Queue<Exchange> idleExchanges)
        implements AutoCloseable {

    static OpenConnection to(NatsOptions options) throws IOException {
        Connection connection = Connecting.to(options);
        JetStreamOptions streamOptions =
                JetStreamOptions.builder().requestTimeout(Exchange.ANSWER_MAX).build();
        return new OpenConnection(
                connection,
                connection.jetStreamManagement(streamOptions),
                new ConcurrentLinkedQueue<>(),
                new ConcurrentLinkedQueue<>());
    }

    boolean isOver() {
        return connection.getStatus() == Connection.Status.CLOSED;
    }

    /// Silence is no word that there is nothing, unless the server is there.
    void requireServer() throws IOException {
        try {
            connection.flush(Exchange.ANSWER_MAX);
        } catch (TimeoutException | IllegalStateException e) {
            throw new AwayException("nats server: it says nothing, expected mail or none", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while asking for mail");
        }
        if (connection.getStatus() != Connection.Status.CONNECTED) {
            throw new AwayException("nats server: not connected, expected mail or none");
        }
    }

    /// What was told without waiting for an answer is on the server before the connection ends, if
    /// the server is there.
    @Override
    public void close() throws IOException {
        try {
            if (connection.getStatus() == Connection.Status.CONNECTED) {
                flush();
            }
            connection.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while leaving the nats server");
        }
    }

    private void flush() throws InterruptedException {
        try {
            connection.flush(Exchange.ANSWER_MAX);
        } catch (TimeoutException | IllegalStateException e) {
            // Whoever relied on it sees to it when the mail is handed out again.
        }
    }
}
