package dev.pheromone.server;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;

import dev.pheromone.Domain;
import dev.pheromone.Json;
import dev.pheromone.NoSuchInboxException;
import dev.pheromone.Transport;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.rse.RseLog;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/// A hive, served over HTTP until it is closed. The hive is not closed with it.
public final class HttpEndpoint implements AutoCloseable {

    private static final int BACKLOG = 1_024;

    private static final Duration IDLE_LOOK = Duration.ofSeconds(1);

    /// How much of a body that nobody wanted is read all the same: a connection that is closed with
    /// more on its way is reset, and the client may never read why.
    private static final int DRAINED_BYTES_MAX = 1 << 20;

    private final ServerOptions options;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Gatekeeper gatekeeper;
    private final EventRoutes events;
    private final StallWatch stalls;
    private final HiveFigures figures;
    private final List<Route> routes;
    private final RequestCounts requests = new RequestCounts();
    private volatile boolean stopping;

    private HttpEndpoint(
            ServerOptions options,
            HttpServer server,
            Transport transport,
            RseLog log,
            EnvelopeLookup lookup,
            HiveFigures figures,
            InstantSource clock) {
        this.options = options;
        this.server = server;
        this.gatekeeper = new Gatekeeper(options);
        this.events = new EventRoutes(log, options.reach(), options.limits());
        this.figures = figures;
        this.stalls = new StallWatch(options.limits().stallMax());
        List<Route> all = new ArrayList<>();
        all.addAll(new MailRoutes(transport, lookup, options.reach()).routes());
        all.addAll(new InboxRoutes(transport, options, clock, () -> stopping).routes());
        all.addAll(events.routes());
        all.addAll(
                new FigureRoutes(transport, log, figures, clock, events::streaming, requests)
                        .routes());
        all.add(new Route("GET", "/healthz", (_, _) -> Reply.json(200, Json.obj())));
        all.add(new Route("GET", "/openapi.yaml", (_, _) -> document()));
        this.routes = List.copyOf(all);
    }

    /// Serves `transport` and its log, from now on.
    ///
    /// @param lookup finds envelopes wherever they are in their life
    /// @param figures counts what only the hive's keeper can
    public static HttpEndpoint start(
            ServerOptions options,
            Transport transport,
            RseLog log,
            EnvelopeLookup lookup,
            HiveFigures figures,
            InstantSource clock)
            throws IOException {
        setLimits(options.limits());
        HttpServer server;
        if (options.tls() == null) {
            server = HttpServer.create(options.bind(), BACKLOG);
        } else {
            HttpsServer secure = HttpsServer.create(options.bind(), BACKLOG);
            secure.setHttpsConfigurator(new HttpsConfigurator(options.tls()));
            server = secure;
        }
        HttpEndpoint endpoint =
                new HttpEndpoint(options, server, transport, log, lookup, figures, clock);
        server.createContext("/", endpoint::handle);
        server.setExecutor(endpoint.threads);
        server.start();
        return endpoint;
    }

    /// The JDK's server has its limits in system properties, read once in a process. Those that
    /// somebody set stay.
    private static void setLimits(ServerLimits limits) {
        setUnlessSet("sun.net.httpserver.maxReqTime", limits.requestTime().toSeconds());
        // How often is looked for connections on which nothing was asked in that time.
        setUnlessSet("sun.net.httpserver.clockTick", IDLE_LOOK.toMillis());
        setUnlessSet("sun.net.httpserver.maxReqHeaders", limits.headersMax());
        setUnlessSet("sun.net.httpserver.maxReqHeaderSize", limits.headerBytesMax());
        setUnlessSet("jdk.httpserver.maxConnections", limits.connectionsMax());
        setUnlessSet("sun.net.httpserver.drainAmount", DRAINED_BYTES_MAX);
        if (System.getProperty("sun.net.httpserver.nodelay") == null) {
            System.setProperty("sun.net.httpserver.nodelay", "true");
        }
    }

    private static void setUnlessSet(String property, long value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, String.valueOf(value));
        }
    }

    /// Where it listens.
    public InetSocketAddress address() {
        return server.getAddress();
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
        return stalls.answering();
    }

    /// Throws if the client is gone before it has the answer. The JDK's server forgets a connection
    /// that ends in the middle of an answer only if it hears of it like this: else the connection
    /// counts as open for ever, and after `connectionsMax` of them nobody is let in.
    private void handle(HttpExchange exchange) throws IOException {
        Reply reply = null;
        boolean sent = false;
        try (exchange) {
            reply = answer(exchange);
            requests.add(exchange.getRequestMethod(), reply.status());
            write(exchange, reply);
            sent = true;
        } finally {
            // A client that did not read is no reason to cut short what is still to be done.
            boolean _ = Thread.interrupted();
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

    private Reply answer(HttpExchange exchange) {
        try {
            Call call = Call.of(exchange);
            gatekeeper.check(call);
            return answer(call);
        } catch (ProblemException e) {
            return e.problem().reply();
        } catch (NoSuchInboxException e) {
            return noInbox(e).reply();
        } catch (WithheldException e) {
            figures.withheld(e);
            return Locked.problem(e.verdict().lock(), e.verdict().reason()).reply();
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

    private void write(HttpExchange exchange, Reply reply) throws IOException {
        Headers headers = exchange.getResponseHeaders();
        if (!reply.type().isEmpty()) {
            headers.set("Content-Type", reply.type());
        }
        headers.set("Cache-Control", "no-store");
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Cross-Origin-Resource-Policy", "same-origin");
        reply.headers().forEach(headers::set);
        boolean empty = exchange.getRequestMethod().equals("HEAD") || reply.length() < 0;
        WatchedOutput out = stalls.begin(exchange.getResponseBody());
        try {
            out.watched(() ->
                    exchange.sendResponseHeaders(reply.status(), empty ? -1 : reply.length()));
            if (!empty) {
                reply.content().writeTo(out);
                // Not left to the exchange, which would keep it to itself if that fails.
                out.close();
            }
        } finally {
            stalls.end(out);
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
        server.stop(Math.toIntExact(options.limits().stopTime().toSeconds()));
        // Never interrupted: an operation on the hive is not to be cut short.
        threads.shutdown();
        try (stalls) {
            boolean _ =
                    threads.awaitTermination(
                            options.limits().stopTime().toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
