package dev.pheromone.nats;

import dev.pheromone.AwayException;
import dev.pheromone.NotLetInException;

import io.nats.client.AuthenticationException;
import io.nats.client.Connection;
import io.nats.client.ErrorListener;
import io.nats.client.Nats;
import io.nats.client.Options;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.security.GeneralSecurityException;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;

import javax.net.ssl.SSLContext;

/// Opens a connection to the servers, and says in our words why it can't be.
final class Connecting implements ErrorListener {

    private static final Duration RECONNECT_WAIT = Duration.ofMillis(100);

    /// How long one server may take to answer, where there are others.
    private static final Duration CONNECT_MAX = Duration.ofSeconds(2);

    /// A server that is cut off says nothing, not even that it is gone: it is given up after two
    /// questions without an answer.
    private static final Duration PING_EVERY = Duration.ofSeconds(2);

    private static final int PINGS_MAX = 2;

    private final NatsOptions options;

    /// The last that the library met and does not throw; it writes it to stderr unless somebody
    /// listens.
    private volatile @Nullable Exception met;

    private Connecting(NatsOptions options) {
        this.options = options;
    }

    /// A connection that comes back by itself when it was lost.
    ///
    /// @throws AwayException if nobody answers
    /// @throws NotLetInException if somebody did, and trying again would give the same answer
    static Connection to(NatsOptions options) throws IOException {
        return new Connecting(options).connect();
    }

    private Connection connect() throws IOException {
        Options.Builder builder =
                new Options.Builder()
                        .servers(options.url().split(",", -1))
                        // What was named is what certificates are for, and where secrets may go:
                        // by any address of a name, and to nobody that a server tells of.
                        .hostnameResolveMode(Options.HostnameResolveMode.HappyEyeballs)
                        .ignoreDiscoveredServers()
                        .connectionName("pheromone " + options.hive())
                        .connectionTimeout(connectMax())
                        .pingInterval(PING_EVERY)
                        .maxPingsOut(PINGS_MAX)
                        .maxReconnects(-1)
                        .reconnectWait(RECONNECT_WAIT)
                        .errorListener(this);
        switch (options.login()) {
            case NatsLogin.Nobody _ -> {}
            case NatsLogin.Token(var token) ->
                    builder.tokenSupplier(() -> token.get().toCharArray());
            case NatsLogin.Password(var user, var password) ->
                    builder.userInfo(user.toCharArray(), password.get().toCharArray());
        }
        @Nullable SSLContext tls = tls();
        if (tls != null) {
            builder.sslContext(new CheckedTls(tls));
        }
        try {
            Connection connection = Nats.connect(builder.build());
            requireJetStream(connection);
            return connection;
        } catch (AuthenticationException e) {
            throw new NotLetInException(
                    server() + " does not let us in, expected another login: " + e.getMessage(), e);
        } catch (NotLetInException e) {
            throw e;
        } catch (IOException e) {
            throw failure(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while connecting to the nats server");
        }
    }

    /// Debian's server starts without it. Another of the same cluster may have it.
    private void requireJetStream(Connection connection)
            throws NotLetInException, InterruptedException {
        if (!connection.getServerInfo().isJetStreamAvailable()
                && connection.request("$JS.API.INFO", new byte[0], connectMax()) == null) {
            connection.close();
            throw new NotLetInException(
                    server() + ": it has no JetStream, expected jetstream in its configuration");
        }
    }

    private Duration connectMax() {
        return options.patience().compareTo(CONNECT_MAX) < 0 ? options.patience() : CONNECT_MAX;
    }

    private @Nullable SSLContext tls() throws IOException {
        if (options.tls() != null || !options.url().contains("tls://")) {
            return options.tls();
        }
        try {
            return SSLContext.getDefault();
        } catch (NoSuchAlgorithmException e) {
            throw new IOException("tls: " + e.getMessage(), e);
        }
    }

    private String server() {
        return "nats server at " + options.url();
    }

    private IOException failure(IOException thrown) {
        for (Throwable cause = met; cause != null; cause = cause.getCause()) {
            String message = String.valueOf(cause.getMessage());
            if (cause instanceof GeneralSecurityException) {
                return new NotLetInException(
                        server() + ": its certificate is not trusted: " + innermost(cause), thrown);
            }
            if (message.startsWith("SSL required by server")) {
                return new NotLetInException(
                        server() + ": it wants an encrypted connection, expected tls://", thrown);
            }
            if (message.startsWith("SSL connection wanted by client")) {
                return new NotLetInException(
                        server() + ": it has no encrypted connection, expected nats://", thrown);
            }
        }
        return new AwayException(
                "nats server: none answers at " + options.url() + ", expected one", thrown);
    }

    private static String innermost(Throwable problem) {
        Throwable cause = problem;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return String.valueOf(cause.getMessage());
    }

    @Override
    public void exceptionOccurred(Connection connection, Exception exception) {
        met = exception;
    }
}
