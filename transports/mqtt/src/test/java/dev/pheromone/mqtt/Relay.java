package dev.pheromone.mqtt;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Stands between clients and a broker, each connection with one of its own behind it.
final class Relay implements AutoCloseable {

    private static final int BUFFER_BYTES = 64 * 1024;

    /// Brings on what comes from one socket, until one of them ends; what it throws ends both.
    interface Carrier {
        void carry(Socket from, Socket to, boolean isToBroker) throws Exception;
    }

    private final ServerSocket server;
    private final int brokerPort;
    private final Carrier carrier;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    Relay(int brokerPort, Carrier carrier) throws IOException {
        this.brokerPort = brokerPort;
        this.carrier = carrier;
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    String url() {
        return "mqtt://127.0.0.1:" + server.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                join(server.accept());
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    private void join(Socket client) throws IOException {
        Socket broker = new Socket();
        sockets.add(client);
        sockets.add(broker);
        try {
            // Else some systems take in megabytes that nobody has read.
            broker.setReceiveBufferSize(BUFFER_BYTES);
            broker.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), brokerPort));
            client.setTcpNoDelay(true);
            broker.setTcpNoDelay(true);
            Thread.ofVirtual().start(() -> carry(client, broker, true));
            Thread.ofVirtual().start(() -> carry(broker, client, false));
        } catch (IOException e) {
            // Nobody is there: others may come later.
            client.close();
            broker.close();
        }
    }

    private void carry(Socket from, Socket to, boolean isToBroker) {
        try (from;
                to) {
            carrier.carry(from, to, isToBroker);
        } catch (Exception e) {
            // One end is gone, or the test wants it so: closing tells the other.
        }
    }

    /// Ends all connections without a word.
    void cut() throws IOException {
        for (Socket socket : List.copyOf(sockets)) {
            sockets.remove(socket);
            socket.close();
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        cut();
    }
}
