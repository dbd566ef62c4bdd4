package dev.pheromone.benchmarks;

import java.io.BufferedReader;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/// A queue in Python's standard library, in a process of its own that measures itself.
final class PythonPeer implements Peer {

    static final String PROGRAM = "python3";

    private final Process process;
    private final DataOutputStream out;
    private final BufferedReader in;

    private PythonPeer(Process process) {
        this.process = process;
        this.out = new DataOutputStream(process.getOutputStream());
        this.in = process.inputReader();
    }

    /// @param queue `maildir`, `sqlite`, or `sqlite-16` for one that 16 connections use at once
    static PythonPeer start(String queue, Path folder) throws IOException {
        try (InputStream script =
                Objects.requireNonNull(PythonPeer.class.getResourceAsStream("peers.py"))) {
            String text = new String(script.readAllBytes(), StandardCharsets.UTF_8);
            return new PythonPeer(
                    new ProcessBuilder(PROGRAM, "-c", text, queue, folder.toString())
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start());
        }
    }

    @Override
    public double send(List<byte[]> messages) throws IOException {
        return ask("send", messages);
    }

    @Override
    public double trip(List<byte[]> messages) throws IOException {
        return ask("trip", messages);
    }

    private double ask(String what, List<byte[]> messages) throws IOException {
        out.writeBytes(what + " " + messages.size() + "\n");
        for (byte[] message : messages) {
            out.writeBytes(message.length + "\n");
            out.write(message);
        }
        out.flush();
        String nanoseconds = in.readLine();
        if (nanoseconds == null) {
            throw new IOException("python ended");
        }
        return Double.parseDouble(nanoseconds) / messages.size();
    }

    @Override
    public void close() {
        process.destroy();
    }
}
