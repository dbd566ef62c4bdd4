package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/// A server whose answers are lost is not asked behind the bridge's back.
@Timeout(120)
final class BridgeTriesTest {

    @TempDir Path temp;
    private final AtomicInteger sent = new AtomicInteger();
    private HttpServer server;

    /// What whoever sends is told; 0 for nothing at all.
    private volatile int refusal;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void close() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            if (exchange.getRequestMethod().equals("POST")) {
                sent.incrementAndGet();
                if (refusal != 0) {
                    say(exchange, refusal, "{\"code\":\"denied\",\"detail\":\"not you\"}");
                }
            } else if (path.startsWith("/v1/envelopes/")) {
                say(exchange, 404, "{\"code\":\"no_such_id\"}");
            } else {
                say(exchange, 200, "{\"inbox\":\"ops\",\"items\":[{\"inbox\":\"ops\"}]}");
            }
        }
    }

    private static void say(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    @Test
    void mailIsSentOnceAtATime() throws Exception {
        Session session = session();
        ViaContract.ok(session, "send --to ops please");
        Session.Result result = drain(session);
        assertThat(result.exit()).as("%s", result).isNotZero();
        assertThat(sent).hasValue(1);
    }

    /// It is not the mail's fault: after the first refusal the rest would only be in the way.
    @ParameterizedTest
    @ValueSource(ints = {401, 403})
    void whereItIsNotLetInItSaysSoAndLeavesTheMailAlone(int status) throws Exception {
        refusal = status;
        Session session = session();
        ViaContract.ok(session, "send --to ops please");
        ViaContract.ok(session, "send --to ops thanks");
        Session.Result result = drain(session);
        assertThat(result.exit()).as("%s", result).isNotZero();
        assertThat(result.out() + result.err()).contains(status + ", not you");
        assertThat(sent).hasValue(1);
    }

    private static Session.Result drain(Session session) {
        return session.rsm("bridge", ".", "team", "--domain", "ops", "--drain", "--json");
    }

    private Session session() throws IOException {
        Session session = new Session(temp.toRealPath());
        session.env.put("RSM_ACTOR", "ann");
        assertThat(session.rsm("init").exit()).isZero();
        ViaContract.configure(
                session, "team: {url: \"http://127.0.0.1:" + server.getAddress().getPort() + "\"}");
        return session;
    }
}
