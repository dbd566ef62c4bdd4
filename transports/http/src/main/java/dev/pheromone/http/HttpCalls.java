package dev.pheromone.http;

import dev.pheromone.AwayException;
import dev.pheromone.Json;
import dev.pheromone.MalformedJsonException;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Set;

/// Calls of the server: with the token, a limit on time and size, and as many tries as are safe.
final class HttpCalls implements AutoCloseable {

    /// Whether a call may be made again although nobody knows what became of it.
    enum Repeat {
        SAFE,
        /// Only where it surely never arrived.
        UNSAFE
    }

    /// What the server said.
    record Answer(int status, Json.Obj body) {

        boolean isOk() {
            return status >= 200 && status < 300;
        }

        String code() {
            return body.optionalText("code").orElse("");
        }

        /// What is wrong, for answers that mean nothing to the caller.
        IOException failure(String what) {
            String message =
                    what
                            + ": the server answered "
                            + status
                            + body.optionalText("detail").map(detail -> ", " + detail).orElse("");
            return AWAY.contains(status) ? new AwayException(message) : new IOException(message);
        }
    }

    /// What servers in between say, and one that is about to end: later it may be otherwise.
    private static final Set<Integer> AWAY = Set.of(502, 503, 504);

    /// An inbox of ten thousand envelopes, with room to spare.
    private static final long ANSWER_BYTES_MAX = 32L << 20;

    /// With TLS, if it is to be: one that does not speak it says nothing at all.
    private static final Duration CONNECT_MAX = Duration.ofSeconds(5);

    private static final Duration PAUSE_FIRST = Duration.ofMillis(100);
    private static final int UNAVAILABLE = 503;

    private final HttpOptions options;
    private final HttpClient client;

    HttpCalls(HttpOptions options) {
        this.options = options;
        HttpClient.Builder builder =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(CONNECT_MAX)
                        .followRedirects(HttpClient.Redirect.NEVER);
        if (options.tls() != null) {
            builder.sslContext(options.tls());
        }
        this.client = builder.build();
    }

    Answer get(String path, Duration wait) throws IOException {
        return call(request(path, wait).GET().build(), Repeat.SAFE);
    }

    Answer post(String path, String type, byte[] body, Repeat repeat) throws IOException {
        return call(
                request(path, Duration.ZERO)
                        .header("Content-Type", type)
                        .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                        .build(),
                repeat);
    }

    Answer put(String path) throws IOException {
        return call(
                request(path, Duration.ZERO).PUT(HttpRequest.BodyPublishers.noBody()).build(),
                Repeat.SAFE);
    }

    private HttpRequest.Builder request(String path, Duration wait) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(options.url().resolve(path))
                        .timeout(options.timeout().plus(wait));
        if (options.token() != null) {
            request.header("Authorization", "Bearer " + options.token());
        }
        return request;
    }

    private Answer call(HttpRequest request, Repeat repeat) throws IOException {
        Duration pause = PAUSE_FIRST;
        for (int tries = 1; ; tries++) {
            try {
                Answer answer = once(request);
                if (answer.status() != UNAVAILABLE
                        || repeat == Repeat.UNSAFE
                        || tries == options.triesMax()) {
                    return answer;
                }
            } catch (InterruptedIOException | InterruptedException e) {
                if (e instanceof InterruptedException) {
                    Thread.currentThread().interrupt();
                    throw new InterruptedIOException("interrupted while calling " + options.url());
                }
                throw (IOException) e;
            } catch (HttpConnectTimeoutException e) {
                // Who is silent for so long is not asked again while somebody waits.
                throw failed(e);
            } catch (ConnectException e) {
                if (tries == options.triesMax()) {
                    throw failed(e);
                }
            } catch (IOException e) {
                if (repeat == Repeat.UNSAFE || tries == options.triesMax()) {
                    throw failed(e);
                }
            }
            pause(pause);
            pause = pause.multipliedBy(2);
        }
    }

    private IOException failed(IOException e) {
        String why =
                switch (e) {
                    case ConnectException _ -> "no connection";
                    case HttpConnectTimeoutException _ ->
                            "no connection within " + CONNECT_MAX.toSeconds() + " s";
                    case HttpTimeoutException _ -> "it takes too long";
                    default -> e.getClass().getSimpleName();
                };
        return new AwayException(options.url() + " does not answer: " + why, e);
    }

    private Answer once(HttpRequest request) throws IOException, InterruptedException {
        HttpResponse<byte[]> response =
                client.send(
                        request,
                        HttpResponse.BodyHandlers.limiting(
                                HttpResponse.BodyHandlers.ofByteArray(), ANSWER_BYTES_MAX));
        if (response.body().length == 0) {
            return new Answer(response.statusCode(), Json.obj());
        }
        try {
            return new Answer(
                    response.statusCode(),
                    Json.parse(response.body()) instanceof Json.Obj object ? object : Json.obj());
        } catch (MalformedJsonException e) {
            // Some other server, or one in between: its status is all that it said.
            return new Answer(response.statusCode(), Json.obj());
        }
    }

    private static void pause(Duration pause) throws IOException {
        try {
            Thread.sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted between two tries");
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
