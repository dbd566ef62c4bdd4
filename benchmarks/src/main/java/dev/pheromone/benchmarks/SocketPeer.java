package dev.pheromone.benchmarks;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/// A server that is spoken to in its own words, without a library between.
abstract class SocketPeer implements Peer {

    private final LocalServer server;
    private final OutputStream out;
    private final InputStream in;

    SocketPeer(List<String> command, Path folder, int port) throws Exception {
        server = LocalServer.start(command, folder, port);
        out = new BufferedOutputStream(server.socket().getOutputStream());
        in = new BufferedInputStream(server.socket().getInputStream());
    }

    /// Hands over one message, and waits until the server says that it has it.
    abstract void put(byte[] message) throws IOException;

    /// Takes one message, and says that it is done.
    abstract void takeOne() throws IOException;

    @Override
    public final double send(List<byte[]> messages) throws IOException {
        long began = System.nanoTime();
        for (byte[] message : messages) {
            put(message);
        }
        return (double) (System.nanoTime() - began) / messages.size();
    }

    @Override
    public final double trip(List<byte[]> messages) throws IOException {
        long began = System.nanoTime();
        for (byte[] message : messages) {
            put(message);
            takeOne();
        }
        return (double) (System.nanoTime() - began) / messages.size();
    }

    final void write(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.US_ASCII));
    }

    final void write(byte[] bytes) throws IOException {
        out.write(bytes);
    }

    final void flush() throws IOException {
        out.flush();
    }

    final String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the server hung up after: " + line);
            }
            line.append((char) next);
        }
        return line.toString().stripTrailing();
    }

    final void skip(int bytes) throws IOException {
        in.skipNBytes(bytes);
    }

    /// The rest of the next line, which has to begin so.
    final String expect(String beginning) throws IOException {
        String line = line();
        if (!line.startsWith(beginning)) {
            throw new IOException("found " + line + ", expected " + beginning);
        }
        return line.substring(beginning.length()).strip();
    }

    @Override
    public final void close() {
        server.close();
    }
}
