package dev.pheromone.mqtt;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// A way to a broker that a test can cut, or stop while both ends believe that it is there.
final class Wire implements AutoCloseable {

    private static final int CHUNK = 16 * 1024;

    /// What is shorter than this carries no mail of a test that freezes long answers.
    private static final int LONG = 1_024;

    private final ServerSocket server;
    private final int brokerPort;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private boolean isFrozen;
    private boolean areAnswersFrozen;
    private boolean isAnswerHeld;

    Wire(int brokerPort) throws IOException {
        this.brokerPort = brokerPort;
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    String url() {
        return "mqtt://127.0.0.1:" + server.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = server.accept();
                Socket broker = new Socket();
                // Else some systems take in megabytes that nobody has read.
                broker.setReceiveBufferSize(4 * CHUNK);
                broker.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), brokerPort));
                client.setTcpNoDelay(true);
                broker.setTcpNoDelay(true);
                sockets.add(client);
                sockets.add(broker);
                Thread.ofVirtual().start(() -> copy(client, broker, false));
                Thread.ofVirtual().start(() -> copy(broker, client, true));
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    private void copy(Socket from, Socket to, boolean isAnswer) {
        byte[] chunk = new byte[CHUNK];
        try (from;
                to;
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            for (int length = in.read(chunk); length >= 0; length = in.read(chunk)) {
                awaitThaw(isAnswer && length >= LONG);
                out.write(chunk, 0, length);
            }
        } catch (IOException e) {
            // One end is gone: closing tells the other.
        }
    }

    private synchronized void awaitThaw(boolean isLongAnswer) {
        try {
            while (isFrozen || (isLongAnswer && areAnswersFrozen)) {
                isAnswerHeld = isLongAnswer;
                notifyAll();
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// From now on nothing gets through, and nobody is told.
    synchronized void freeze() {
        isFrozen = true;
    }

    /// From now on nothing comes from the broker that is long.
    synchronized void freezeLongAnswers() {
        areAnswersFrozen = true;
        isAnswerHeld = false;
    }

    /// Waits until the broker has said something that was held back for that.
    synchronized void awaitLongAnswer() throws InterruptedException {
        while (!isAnswerHeld) {
            wait();
        }
    }

    synchronized void thaw() {
        isFrozen = false;
        areAnswersFrozen = false;
        notifyAll();
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
        thaw();
        server.close();
        cut();
    }
}
