package dev.pheromone.mqtt;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;

/// A way to a broker that a test can cut, or stop while both ends believe that it is there.
final class Wire implements AutoCloseable {

    private static final int CHUNK = 16 * 1024;

    private final Relay relay;
    private boolean isFrozen;

    Wire(int brokerPort) throws IOException {
        relay = new Relay(brokerPort, this::carry);
    }

    String url() {
        return relay.url();
    }

    private void carry(Socket from, Socket to, boolean isToBroker) throws IOException {
        byte[] chunk = new byte[CHUNK];
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        for (int length = in.read(chunk); length >= 0; length = in.read(chunk)) {
            awaitThaw();
            out.write(chunk, 0, length);
        }
    }

    private synchronized void awaitThaw() {
        try {
            while (isFrozen) {
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

    synchronized void thaw() {
        isFrozen = false;
        notifyAll();
    }

    /// Ends all connections without a word.
    void cut() throws IOException {
        relay.cut();
    }

    @Override
    public void close() throws IOException {
        thaw();
        relay.close();
    }
}
