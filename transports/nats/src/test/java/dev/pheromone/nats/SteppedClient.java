package dev.pheromone.nats;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// A relay between one client and a nats-server, which can stop the client before any of its
/// messages reaches the server. What a client does next to others is then no matter of chance.
final class SteppedClient implements AutoCloseable {

    private static final long WAIT_MAX_SECONDS = 30;

    /// One stop: the client reaches it, and goes on when it is told so.
    private record Stop(CompletableFuture<Void> reached, CompletableFuture<Void> goOn) {}

    private final URI server;
    private final ServerSocket door;
    private final List<Socket> sockets = new ArrayList<>();
    private int messagesLeft;
    private Stop stop = new Stop(new CompletableFuture<>(), new CompletableFuture<>());

    SteppedClient(String serverUrl) throws IOException {
        server = URI.create(serverUrl);
        door = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        var _ = Thread.startVirtualThread(this::accept);
    }

    String url() {
        return "nats://127.0.0.1:" + door.getLocalPort();
    }

    /// Lets `messages` of the client through from now on, and stops the client before the next one.
    synchronized void stopAfter(int messages) {
        messagesLeft = messages;
        stop = new Stop(new CompletableFuture<>(), new CompletableFuture<>());
    }

    /// Waits until the client has stopped, or until what it does is over; says whether it stopped.
    boolean awaitStop(CompletableFuture<?> deed) throws Exception {
        Stop next = current();
        try {
            var _ =
                    CompletableFuture.anyOf(next.reached(), deed)
                            .get(WAIT_MAX_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
        return next.reached().isDone();
    }

    /// Lets everything through, from now on.
    synchronized void goOn() {
        messagesLeft = Integer.MAX_VALUE;
        var _ = stop.goOn().complete(null);
    }

    private synchronized Stop current() {
        return stop;
    }

    private synchronized boolean isNextStopped() {
        return messagesLeft-- <= 0;
    }

    private void pass() throws IOException {
        if (!isNextStopped()) {
            return;
        }
        Stop here = current();
        var _ = here.reached().complete(null);
        try {
            here.goOn().get(WAIT_MAX_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IOException("stopped client: nobody let it go on", e);
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket client = door.accept();
                Socket upstream = new Socket(server.getHost(), server.getPort());
                client.setTcpNoDelay(true);
                upstream.setTcpNoDelay(true);
                synchronized (this) {
                    sockets.add(client);
                    sockets.add(upstream);
                }
                var _ = Thread.startVirtualThread(() -> relay(client, upstream));
                var _ = Thread.startVirtualThread(() -> copy(upstream, client));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private static void copy(Socket from, Socket to) {
        try (from;
                to) {
            var _ = from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // The other end sees it.
        }
    }

    private void relay(Socket from, Socket to) {
        try (from;
                to) {
            InputStream in = new BufferedInputStream(from.getInputStream());
            OutputStream out = to.getOutputStream();
            for (byte[] line = line(in); line.length > 0; line = line(in)) {
                String words = new String(line, StandardCharsets.UTF_8).strip();
                byte[] data = {};
                if (words.startsWith("PUB ") || words.startsWith("HPUB ")) {
                    int length = Integer.parseInt(words.substring(words.lastIndexOf(' ') + 1));
                    data = in.readNBytes(length + 2);
                    pass();
                }
                out.write(line);
                out.write(data);
                out.flush();
            }
        } catch (IOException e) {
            // The other end sees it.
        }
    }

    /// The next line with its end; nothing if the client has gone.
    private static byte[] line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next >= 0; next = in.read()) {
            line.write(next);
            if (next == '\n') {
                return line.toByteArray();
            }
        }
        return new byte[0];
    }

    @Override
    public synchronized void close() throws IOException {
        goOn();
        door.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
