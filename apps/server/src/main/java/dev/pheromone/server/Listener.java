package dev.pheromone.server;

import com.sun.management.UnixOperatingSystemMXBean;

import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http.UriCompliance.Violation;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.BindException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLContext;

/// Lets clients in, as far as there are places, and has their requests answered. Jetty speaks HTTP
/// with them on a few threads that never wait; each answer has a virtual thread of its own.
final class Listener implements AutoCloseable {

    private static final UriCompliance URIS =
            UriCompliance.UNSAFE.without(
                    "paths as they are",
                    Violation.ILLEGAL_PATH_CHARACTERS,
                    Violation.FRAGMENT,
                    Violation.USER_INFO);

    private static final int BACKLOG = 1_024;

    private static final int THREADS_MAX = 16;

    private static final Duration LOOK_MAX = Duration.ofMillis(500);

    /// After this time a client that could not be let in is tried again.
    private static final Duration RESPITE = Duration.ofMillis(5);

    /// Answers requests. If it throws, the client did not get its answer.
    interface Answerer {
        void answer(Exchange exchange) throws IOException;
    }

    private final ServerLimits limits;
    private final Answerer answerer;
    private final Places<Client> places;
    private final InetSocketAddress address;
    private final Server server;
    private final ExecutorService answers = Executors.newVirtualThreadPerTaskExecutor();
    private final ScheduledExecutorService watch =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon().name("late-clients").factory());

    /// Listens from now on.
    Listener(ServerOptions options, Answerer answerer) throws IOException {
        this.limits = options.limits();
        this.answerer = answerer;
        this.places = Places.within(limits, filesMax());
        ServerSocketChannel socket = ServerSocketChannel.open();
        try {
            socket.bind(options.bind(), BACKLOG);
            this.address = (InetSocketAddress) socket.getLocalAddress();
            this.server = start(socket, also(options, address), options.tls());
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
        Duration look = limits.stallMax().dividedBy(4);
        long period = Math.min(look.toMillis(), LOOK_MAX.toMillis());
        var _ = watch.scheduleWithFixedDelay(this::look, period, period, TimeUnit.MILLISECONDS);
    }

    /// The other address that `localhost` means, at the same port: else another user of this
    /// machine could listen there, and browsers would come to them. Null where there is no such
    /// address.
    private static @Nullable ServerSocketChannel also(
            ServerOptions options, InetSocketAddress bound) throws IOException {
        if (!(bound.getAddress() instanceof Inet4Address) || !ServerOptions.isLoopback(bound)) {
            return null;
        }
        InetSocketAddress other =
                new InetSocketAddress(InetAddress.ofLiteral("::1"), bound.getPort());
        if (NetworkInterface.getByInetAddress(other.getAddress()) == null) {
            return null;
        }
        ServerSocketChannel socket = ServerSocketChannel.open();
        try {
            socket.bind(other, BACKLOG);
            return socket;
        } catch (IOException e) {
            socket.close();
        }
        if (options.bind().getPort() == 0) {
            // Whoever takes any port gives no name of it to browsers.
            return null;
        }
        // Also if nobody answers there: whoever has the address may do so later.
        throw new BindException("somebody else has " + other);
    }

    private Server start(
            ServerSocketChannel socket,
            @Nullable ServerSocketChannel also,
            @Nullable SSLContext tls)
            throws IOException {
        var threads = new QueuedThreadPool(THREADS_MAX);
        threads.setName("http");
        threads.setDaemon(true);
        var jetty = new Server(threads);
        jetty.setHandler(new Answers());
        jetty.setErrorHandler(Listener::refuse);
        var connector = new Door(jetty, protocols(tls));
        connector.open(socket);
        connector.setIdleTimeout(0);
        jetty.addConnector(connector);
        if (also != null) {
            var other = new Door(jetty, protocols(tls));
            other.open(also);
            other.setIdleTimeout(0);
            jetty.addConnector(other);
        }
        try {
            jetty.start();
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
        return jetty;
    }

    private ConnectionFactory[] protocols(@Nullable SSLContext tls) {
        var http = new HttpConfiguration();
        http.setRequestHeaderSize(limits.headerBytesMax());
        http.setHttpCompliance(HttpCompliance.STRICT);
        // Paths are only compared, part by part and as they were sent, so that none is ambiguous.
        http.setUriCompliance(URIS);
        http.setSendServerVersion(false);
        var plain = new HttpConnectionFactory(http);
        if (tls == null) {
            return new ConnectionFactory[] {plain};
        }
        var secure = new SslContextFactory.Server();
        secure.setSslContext(tls);
        return new ConnectionFactory[] {
            new SslConnectionFactory(secure, plain.getProtocol()), plain
        };
    }

    /// How many files this process may have open, connections among them.
    private static long filesMax() {
        return ManagementFactory.getOperatingSystemMXBean()
                        instanceof UnixOperatingSystemMXBean unix
                ? unix.getMaxFileDescriptorCount()
                : Long.MAX_VALUE;
    }

    InetSocketAddress address() {
        return address;
    }

    private void look() {
        places.all().forEach(Client::closeIfLate);
    }

    /// Answers a request that is not valid HTTP.
    private static boolean refuse(Request request, Response response, Callback callback) {
        int status = response.getStatus();
        Object reason = request.getAttribute(ErrorHandler.ERROR_MESSAGE);
        Problem problem =
                status == HttpStatus.REQUEST_HEADER_FIELDS_TOO_LARGE_431
                        ? Problem.of(
                                status, "too_large", "the address and the headers are too long")
                        : Problem.of(status, "bad_request", "not valid HTTP: " + reason);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, Problem.TYPE);
        response.getHeaders().put(HttpHeader.CONNECTION, "close");
        Content.Sink.write(response, true, problem.text(), callback);
        return true;
    }

    /// Lets nobody in any more, and ends all connections: those that are being answered after the
    /// answer, or when the time for that is over.
    @Override
    public void close() {
        try (watch) {
            for (Connector door : server.getConnectors()) {
                var _ = door.shutdown();
            }
            // Never interrupted: an operation on the hive is not to be cut short.
            answers.shutdown();
            boolean _ = await(limits.stopTime());
            server.stop();
            boolean _ = await(limits.stopTime());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            throw new IllegalStateException("a server that can't be stopped", e);
        }
    }

    private boolean await(Duration time) throws InterruptedException {
        return answers.awaitTermination(time.toMillis(), TimeUnit.MILLISECONDS);
    }

    /// Where clients come in.
    private final class Door extends ServerConnector {

        Door(Server server, ConnectionFactory... protocols) {
            super(server, 1, 1, protocols);
        }

        @Override
        protected SocketChannelEndPoint newEndPoint(
                SocketChannel channel, ManagedSelector selector, SelectionKey key) {
            return new Client(channel, selector, key, getScheduler(), places, limits.requestTime());
        }

        @Override
        protected boolean handleAcceptFailure(Throwable failure) {
            if (isShutdown()) {
                return false;
            }
            // The process has as many files open as it may.
            places.makeRoom().ifPresent(Client::close);
            try {
                Thread.sleep(RESPITE);
                return true;
            } catch (InterruptedException e) {
                return false;
            }
        }
    }

    /// Gives each request a thread of its own.
    private final class Answers extends Handler.Abstract.NonBlocking {

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            requireOneEnd(request);
            Client client = Client.of(request);
            client.rest();
            try {
                answers.execute(() -> answer(client, request, response, callback));
            } catch (RejectedExecutionException e) {
                // It came while the server is being closed.
                client.close();
                callback.failed(e);
            }
            return true;
        }

        /// Throws if a proxy before this server could see the end of the body elsewhere.
        private static void requireOneEnd(Request request) {
            List<String> codings = request.getHeaders().getValuesList(HttpHeader.TRANSFER_ENCODING);
            boolean old = request.getConnectionMetaData().getHttpVersion() != HttpVersion.HTTP_1_1;
            for (String coding : codings) {
                if (old || !HttpHeaderValue.CHUNKED.is(coding)) {
                    throw new HttpException.RuntimeException(
                            HttpStatus.NOT_IMPLEMENTED_501,
                            "Transfer-Encoding: expected chunked, in HTTP/1.1");
                }
            }
        }

        private void answer(Client client, Request request, Response response, Callback callback) {
            try {
                var exchange = new Exchange(client, request, response, limits);
                answerer.answer(exchange);
                exchange.drain();
                client.awaitRequest();
                callback.succeeded();
            } catch (IOException | RuntimeException e) {
                // What the client has of the answer must not look like all of it.
                client.close();
                callback.failed(e);
            }
        }
    }
}
