package dev.pheromone.server;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.mcp.Methods;
import dev.pheromone.session.ServedSession;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/// A hive, served over HTTP until it is closed. The hive is not closed with it.
public final class HttpEndpoint implements AutoCloseable {

    private final ServerOptions options;
    private final ServedSession session;
    private final Listener listener;
    private final Gatekeeper gatekeeper;
    private final EventRoutes events;
    private final McpRoutes mcp;
    private final @Nullable BoardRoutes board;
    private final AtomicInteger answering = new AtomicInteger();
    private final List<Route> routes;
    private final RequestCounts requests = new RequestCounts();
    private volatile boolean stopping;

    private HttpEndpoint(
            ServerOptions options, ServedSession session, Methods tools, @Nullable Board board)
            throws IOException {
        this.options = options;
        this.session = session;
        Function<String, Optional<Actor>> paired =
                secret -> board == null ? Optional.empty() : board.pairings().actor(secret);
        this.gatekeeper = new Gatekeeper(options, paired);
        this.board = board == null ? null : new BoardRoutes(board);
        this.events =
                new EventRoutes(
                        session, options.limits(), secret -> paired.apply(secret).isPresent());
        this.mcp = new McpRoutes(tools, options.limits());
        List<Route> all = new ArrayList<>();
        all.addAll(new MailRoutes(session).routes());
        all.addAll(new InboxRoutes(session, options, () -> stopping).routes());
        all.addAll(events.routes());
        all.addAll(mcp.routes());
        all.addAll(new FigureRoutes(session, events::streaming, requests).routes());
        if (this.board != null) {
            all.addAll(this.board.routes());
        }
        all.add(new Route("GET", "/healthz", (_, _) -> Reply.json(200, Json.obj())));
        all.add(new Route("GET", "/openapi.yaml", (_, _) -> document()));
        this.routes = List.copyOf(all);
        this.listener = new Listener(options, this::handle);
    }

    /// Serves the hive of `session`, from now on.
    ///
    /// @param tools what agents find at `/mcp`
    /// @param board what the board needs; null where there is none
    public static HttpEndpoint start(
            ServerOptions options, ServedSession session, Methods tools, @Nullable Board board)
            throws IOException {
        return new HttpEndpoint(options, session, tools, board);
    }

    /// Where it listens.
    public InetSocketAddress address() {
        return listener.address();
    }

    /// What a client on this machine, or one that can reach the address, calls.
    public URI url() {
        InetSocketAddress address = address();
        boolean any = address.getAddress().isAnyLocalAddress();
        String host = any ? "localhost" : address.getAddress().getHostAddress();
        String named = host.contains(":") ? "[" + host + "]" : host;
        return URI.create(
                (options.tls() == null ? "http" : "https")
                        + "://"
                        + named
                        + ":"
                        + address.getPort());
    }

    List<Route> routes() {
        return routes;
    }

    /// How many clients follow the event log.
    int streaming() {
        return events.streaming();
    }

    /// How many answers are being written.
    int answering() {
        return answering.get();
    }

    /// Throws if the client is gone before it has the answer.
    private void handle(Exchange exchange) throws IOException {
        Reply reply = null;
        boolean sent = false;
        try {
            reply = answer(exchange);
            requests.add(exchange.method(), reply.status());
            write(exchange, reply);
            sent = true;
        } finally {
            if (reply != null) {
                end(reply, sent);
            }
        }
    }

    private static void end(Reply reply, boolean sent) {
        try {
            if (!sent) {
                reply.unsent().undo();
            }
        } catch (IOException e) {
            // Then its lease brings it back.
        } finally {
            reply.end().run();
        }
    }

    private Reply answer(Exchange exchange) {
        try {
            Call call = Call.of(exchange);
            gatekeeper.check(call);
            return answer(call);
        } catch (ProblemException e) {
            return e.problem().reply();
        } catch (NoSuchInboxException e) {
            return noInbox(e).reply();
        } catch (WithheldException e) {
            session.report(e);
            return Problem.locked(e.verdict().lock(), e.verdict().reason()).reply();
        } catch (IllegalArgumentException e) {
            return Problem.of(422, "usage", String.valueOf(e.getMessage())).reply();
        } catch (IOException e) {
            // What it says may name files, which are nobody's business.
            return Problem.of(503, "io", "the hive can't be read or written now").reply();
        } catch (RuntimeException e) {
            return Problem.of(500, "internal", "a defect of this server").reply();
        }
    }

    private Reply answer(Call call) throws IOException, NoSuchInboxException {
        String method = call.method().equals("HEAD") ? "GET" : call.method();
        List<String> methods = new ArrayList<>();
        for (Route route : routes) {
            Optional<List<String>> parts = route.match(call.path());
            if (parts.isPresent()) {
                methods.add(route.method());
                if (route.method().equals(method)) {
                    if (!call.isRead() && options.mode() == ServerOptions.Mode.READ_ONLY) {
                        throw Problem.of(403, "read_only", "this server is for reading").thrown();
                    }
                    return route.handler().answer(call, parts.get());
                }
            }
        }
        if (methods.isEmpty()) {
            throw Problem.of(404, "not_found", "nothing is served there").thrown();
        }
        throw Problem.of(405, "wrong_method", "expected " + String.join(", ", methods))
                .with("Allow", String.join(", ", methods))
                .thrown();
    }

    private static Problem noInbox(NoSuchInboxException e) {
        List<String> known = new ArrayList<>();
        for (Domain domain : e.known()) {
            known.add(domain.name());
        }
        String detail =
                e.known().contains(e.address().domain())
                        ? "the envelope is not addressed to " + e.address()
                        : "no inbox " + e.address();
        return Problem.of(404, "no_such_inbox", detail)
                .with(Json.obj().put("address", e.address().toString()).putTexts("known", known));
    }

    private void write(Exchange exchange, Reply reply) throws IOException {
        Map<String, String> headers = new LinkedHashMap<>();
        if (!reply.type().isEmpty()) {
            headers.put("Content-Type", reply.type());
        }
        headers.put("Cache-Control", "no-store");
        headers.put("X-Content-Type-Options", "nosniff");
        headers.put("Cross-Origin-Resource-Policy", "same-origin");
        headers.putAll(reply.headers());
        boolean empty = exchange.method().equals("HEAD") || reply.length() < 0;
        answering.incrementAndGet();
        try {
            OutputStream out = exchange.answer(reply.status(), headers, reply.length());
            if (empty) {
                // Before the end, else a length that is not known would be told as none.
                out.flush();
            } else {
                reply.content().writeTo(out);
            }
            // Not after a failure, which would look like the answer's end.
            out.close();
        } finally {
            answering.decrementAndGet();
        }
    }

    private static Reply document() throws IOException {
        try (InputStream in = HttpEndpoint.class.getResourceAsStream("openapi.yaml")) {
            if (in == null) {
                throw new IllegalStateException("resource openapi.yaml is missing");
            }
            return Reply.text(
                    200, "application/yaml", new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    /// Takes no more requests, and gives those on their way a moment to be answered. Who waits for
    /// mail or follows events is let go at once.
    @Override
    public void close() {
        stopping = true;
        events.close();
        mcp.close();
        if (board != null) {
            board.close();
        }
        listener.close();
    }
}
