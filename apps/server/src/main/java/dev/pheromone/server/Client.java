package dev.pheromone.server;

import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/// One client's connection. Whatever the server waits for on it has a deadline, which a byte now
/// and then does not put off.
final class Client extends SocketChannelEndPoint {

    /// How long a client that has shown the token may keep its connection without asking.
    private static final Duration IDLE_MAX = Duration.ofMinutes(1);

    private final Places<Client> places;
    private final Duration requestTime;
    private volatile boolean proven;

    /// Whether the server waits for the client, and until when, by the clock that only goes
    /// forward.
    private volatile boolean awaited;

    private volatile long awaitedUntil;

    Client(
            SocketChannel channel,
            ManagedSelector selector,
            SelectionKey key,
            Scheduler scheduler,
            Places<Client> places,
            Duration requestTime) {
        super(channel, selector, key, scheduler);
        this.places = places;
        this.requestTime = requestTime;
    }

    /// The client that sent `request`.
    static Client of(Request request) {
        EndPoint end = request.getConnectionMetaData().getConnection().getEndPoint();
        return (Client) (end instanceof EndPoint.Wrapper decrypted ? decrypted.unwrap() : end);
    }

    @Override
    public void onOpen() {
        super.onOpen();
        awaitRequest();
        if (getRemoteSocketAddress() instanceof InetSocketAddress from) {
            places.enter(this, from.getAddress()).ifPresent(Client::close);
        } else {
            // It was gone before it was let in.
            close();
        }
    }

    @Override
    public void onClose(@Nullable Throwable cause) {
        places.leave(this);
        super.onClose(cause);
    }

    /// The client has shown the token.
    void prove() {
        proven = true;
        places.prove(this);
    }

    boolean isProven() {
        return proven;
    }

    /// The client may send its next request.
    void awaitRequest() {
        await(proven ? IDLE_MAX : requestTime);
    }

    /// From now on the client has this long for what the server waits for.
    void await(Duration time) {
        awaitedUntil = System.nanoTime() + time.toNanos();
        awaited = true;
    }

    /// The server waits for nothing.
    void rest() {
        awaited = false;
    }

    void closeIfLate() {
        if (awaited && System.nanoTime() - awaitedUntil > 0) {
            close();
        }
    }
}
