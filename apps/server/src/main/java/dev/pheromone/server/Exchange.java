package dev.pheromone.server;

import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// One request and its answer.
final class Exchange {

    private final Client client;
    private final Request request;
    private final Response response;
    private final ServerLimits limits;

    Exchange(Client client, Request request, Response response, ServerLimits limits) {
        this.client = client;
        this.request = request;
        this.response = response;
        this.limits = limits;
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

    /// The client has shown the token.
    void prove() {
        client.prove();
    }

    /// The body, or its first `bytesMax` bytes, as far as it comes in time.
    byte[] body(int bytesMax) throws IOException {
        client.await(limits.requestTime());
        try (InputStream body = Content.Source.asInputStream(request)) {
            return body.readNBytes(bytesMax);
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
        if (length > 0) {
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, length);
        }
        return new WatchedOutput(
                Response.asBufferedOutputStream(request, response), client, limits.stallMax());
    }
}
