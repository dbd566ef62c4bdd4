package dev.pheromone.server;

import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// One request and its answer.
final class Exchange {

    /// How much of a body that nobody wants is read: many times what an envelope may have.
    private static final long DRAINED_BYTES_MAX = 8L << 20;

    /// How many parts of such a body are read before the answer.
    private static final int ARRIVED_PARTS_MAX = 16;

    /// How long a client without the token may go on sending after its answer: it has a place of
    /// others.
    private static final Duration UNPROVEN_DRAIN_TIME = Duration.ofSeconds(1);

    private final Client client;
    private final Request request;
    private final Response response;
    private final ServerLimits limits;
    private final InputStream body;

    /// Whether all of the body has come.
    private boolean isWhole;

    Exchange(Client client, Request request, Response response, ServerLimits limits) {
        this.client = client;
        this.request = request;
        this.response = response;
        this.limits = limits;
        this.body = Content.Source.asInputStream(request);
    }

    String method() {
        return request.getMethod();
    }

    /// The path as it was sent, or an empty text if the target has none.
    String path() {
        return Objects.requireNonNullElse(request.getHttpURI().getPath(), "");
    }

    /// What follows the path's question mark, as it was sent.
    String query() {
        return Objects.requireNonNullElse(request.getHttpURI().getQuery(), "");
    }

    List<String> headers(String name) {
        return request.getHeaders().getValuesList(name);
    }

    /// The length of the body, or a negative number if it does not say it.
    long length() {
        return request.getLength();
    }

    /// The port of this machine at which the client came in.
    int port() {
        return client.getLocalSocketAddress() instanceof InetSocketAddress here
                ? here.getPort()
                : 0;
    }

    /// The client has shown the token.
    void prove() {
        client.prove();
    }

    /// The body, or its first `bytesMax` bytes, as far as it comes in time.
    byte[] body(int bytesMax) throws IOException {
        client.await(limits.requestTime());
        try {
            byte[] bytes = body.readNBytes(bytesMax);
            isWhole = bytes.length < bytesMax;
            return bytes;
        } finally {
            client.rest();
        }
    }

    /// Throws away what has come of the body; whether that was its end.
    private boolean skipArrived() {
        // Not the request's consumeAvailable(), after which the rest can't be read.
        for (int i = 0; i < ARRIVED_PARTS_MAX && headers("Expect").isEmpty(); i++) {
            Content.Chunk part = request.read();
            if (part == null || Content.Chunk.isFailure(part)) {
                return false;
            }
            part.release();
            if (part.isLast()) {
                isWhole = true;
                return true;
            }
        }
        return false;
    }

    /// Reads what the client still sends after its answer, and throws it away. A connection that is
    /// closed while bytes arrive takes an answer with it that the client has not read yet.
    void drain() {
        // Who waits for leave to send its body sends none after an answer.
        if (isWhole || !headers("Expect").isEmpty()) {
            return;
        }
        client.await(client.isProven() ? limits.requestTime() : UNPROVEN_DRAIN_TIME);
        try {
            body.skipNBytes(DRAINED_BYTES_MAX);
        } catch (IOException e) {
            // All has come, or the client is gone or late.
        } finally {
            client.rest();
        }
    }

    /// Begins the answer; what it returns takes the rest, and is closed at the end of it.
    ///
    /// @param length of the body, or 0 if it is not known
    WatchedOutput answer(int status, Map<String, String> headers, long length) {
        response.setStatus(status);
        headers.forEach(response.getHeaders()::put);
        if (!isWhole && !skipArrived()) {
            response.getHeaders().put(HttpHeader.CONNECTION, "close");
        }
        if (length > 0) {
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, length);
        }
        return new WatchedOutput(
                Response.asBufferedOutputStream(request, response), client, limits.stallMax());
    }
}
