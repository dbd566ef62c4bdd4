package dev.pheromone.http;

import dev.pheromone.AwayException;
import dev.pheromone.NotLetInException;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import javax.net.ssl.SSLException;

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
            return AWAY.contains(status)
                    ? new AwayException(message)
                    : NOT_LET_IN.contains(status)
                            ? new NotLetInException(message)
                            : new IOException(message);
        }
    }

    /// What servers in between say, and one that is about to end: later it may be otherwise.
    private static final Set<Integer> AWAY = Set.of(502, 503, 504);

    /// A token that is wrong or missing, and a server for reading only.
    private static final Set<Integer> NOT_LET_IN = Set.of(401, 403);

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

    /// @param patience how long it may take with all its tries
    Answer get(String path, Duration patience) throws IOException {
        return call(request(path).GET(), Repeat.SAFE, patience);
    }

    /// @param patience how long it may take with all its tries
    Answer post(String path, String type, byte[] body, Repeat repeat, Duration patience)
            throws IOException {
        return call(
                request(path)
                        .header("Content-Type", type)
                        .POST(HttpRequest.BodyPublishers.ofByteArray(body)),
                repeat,
                patience);
    }

    Answer put(String path) throws IOException {
        return call(
                request(path).PUT(HttpRequest.BodyPublishers.noBody()),
                Repeat.SAFE,
                options.timeout());
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(options.url().resolve(path));
        if (options.token() != null) {
            request.header("Authorization", "Bearer " + options.token());
        }
        return request;
    }

    private Answer call(HttpRequest.Builder request, Repeat repeat, Duration patience)
            throws IOException {
        long end = System.nanoTime() + patience.toNanos();
        Duration pause = PAUSE_FIRST;
        @Nullable IOException unsure = null;
        for (int tries = 1; ; tries++) {
            Duration left = Duration.ofNanos(Math.max(1, end - System.nanoTime()));
            try {
                Answer answer = once(request, left);
                if (answer.status() != UNAVAILABLE
                        || repeat == Repeat.UNSAFE
                        || isLast(tries, pause, end)) {
                    return answer;
                }
            } catch (InterruptedIOException | InterruptedException e) {
                if (e instanceof InterruptedException) {
                    Thread.currentThread().interrupt();
                    throw new InterruptedIOException("interrupted while calling " + options.url());
                }
                throw (IOException) e;
            } catch (HttpTimeoutException e) {
                // Who is silent for so long is not asked again while somebody waits.
                throw failed(e);
            } catch (ConnectException e) {
                if (isLast(tries, pause, end)) {
                    // That there is no connection now says nothing of a try before.
                    throw failed(unsure == null ? e : unsure);
                }
            } catch (IOException e) {
                @Nullable Throwable distrust = distrust(e);
                if (distrust != null && unsure == null) {
                    // Nothing was said to it, and it would be the same the next time.
                    throw new NotLetInException(
                            options.url()
                                    + ": its certificate is not trusted: "
                                    + distrust.getMessage(),
                            e);
                }
                unsure = e;
                if (repeat == Repeat.UNSAFE || isLast(tries, pause, end)) {
                    throw failed(e);
                }
            }
            pause(pause);
            pause = pause.multipliedBy(2);
        }
    }

    /// There is a next try only if there is time for it.
    private boolean isLast(int tries, Duration pause, long end) {
        return tries == options.triesMax() || end - System.nanoTime() <= pause.toNanos();
    }

    private IOException failed(IOException e) {
        String why =
                switch (e) {
                    case ConnectException _ ->
                            e.getCause() instanceof UnresolvedAddressException
                                    ? "no such host"
                                    : "no connection";
                    case HttpConnectTimeoutException _ ->
                            "no connection within " + CONNECT_MAX.toSeconds() + " s";
                    case HttpTimeoutException _ -> "it takes too long";
                    case SSLException _ -> "no encrypted connection: " + e.getMessage();
                    default -> "the connection broke off";
                };
        return new AwayException(options.url() + " does not answer: " + why, e);
    }

    /// Why the server's certificate is not trusted; null if it is not about that.
    private static @Nullable Throwable distrust(IOException failure) {
        @Nullable Throwable found = null;
        for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
            found = cause instanceof GeneralSecurityException ? cause : found;
        }
        return found;
    }

    /// The client's own limit ends when the head of an answer has come, and its body may stall:
    /// ours covers both.
    private HttpResponse<byte[]> send(HttpRequest request, Duration left)
            throws IOException, InterruptedException {
        CompletableFuture<HttpResponse<byte[]>> response =
                client.sendAsync(
                        request,
                        HttpResponse.BodyHandlers.limiting(
                                HttpResponse.BodyHandlers.ofByteArray(), ANSWER_BYTES_MAX));
        try {
            return response.get(left.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            HttpTimeoutException late = new HttpTimeoutException("no whole answer within " + left);
            late.initCause(e);
            throw late;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException failure ? failure : new IOException(e);
        } finally {
            // Where it is over, this does nothing.
            response.cancel(true);
        }
    }

    private Answer once(HttpRequest.Builder request, Duration left)
            throws IOException, InterruptedException {
        HttpResponse<byte[]> response = send(request.timeout(left).build(), left);
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
