package dev.pheromone.mqtt;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;

/// A way to a broker that a test can cut, or stop while both ends believe that it is there.
final class Wire implements AutoCloseable {

    private static final int CHUNK = 16 * 1024;

    /// What is shorter than this carries no mail of a test that freezes long answers.
    private static final int LONG = 1_024;

    private final Relay relay;
    private boolean isFrozen;
    private boolean areAnswersFrozen;
    private boolean isAnswerHeld;

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
            awaitThaw(!isToBroker && length >= LONG);
            out.write(chunk, 0, length);
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
        relay.cut();
    }

    @Override
    public void close() throws IOException {
        thaw();
        relay.close();
    }
}
