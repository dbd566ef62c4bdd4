package dev.pheromone.mcp;

import dev.pheromone.testkit.McpText;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// A client of a [StdioServer] that runs in this process.
public final class Wire implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    public final List<String> log = new CopyOnWriteArrayList<>();

    private final BlockingQueue<byte[]> sent = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private final Thread server;
    private volatile boolean isDeaf;
    private int id;

    public Wire(Methods methods) {
        StdioServer stdio = new StdioServer(methods, new Feed(), new Lines(), log::add);
        server =
                Thread.ofPlatform()
                        .daemon()
                        .start(() -> {
                            try {
                                stdio.run();
                            } catch (IOException e) {
                                log.add("ended: " + e.getMessage());
                            }
                        });
    }

    public void send(byte[] bytes) {
        sent.add(bytes);
    }

    public void send(String line) {
        send((line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /// From now on nothing that the server says arrives.
    public void stopListening() {
        isDeaf = true;
    }

    /// The next message of the server, which must be a line of JSON.
    public Json.Obj next() {
        try {
            String line = answers.poll(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            if (line == null) {
                throw new AssertionError("no answer; the log says " + log);
            }
            return (Json.Obj) Json.parse(line);
        } catch (InterruptedException | MalformedJsonException e) {
            throw new AssertionError(e);
        }
    }

    /// Whether the server has said anything that nobody has looked at.
    public boolean isSilent() {
        return answers.isEmpty();
    }

    /// Sends a request, and returns its id.
    public int begin(String method, Json.Obj params) {
        send(McpText.request(++id, method, params).toString());
        return id;
    }

    public void tell(String method, Json.Obj params) {
        send(McpText.told(method, params).toString());
    }

    /// The answer to a request.
    public Json.Obj ask(String method, Json.Obj params) {
        int asked = begin(method, params);
        Json.Obj answer = next();
        if (answer.optionalNumber("id").orElse(-1) != asked) {
            throw new AssertionError("an answer to something else: " + answer);
        }
        return answer;
    }

    /// The result of a tool.
    public Json.Obj call(String tool, Json.Obj arguments) {
        return ask("tools/call", Json.obj().put("name", tool).put("arguments", arguments))
                .object("result");
    }

    /// Closes this side, and waits until the server has ended.
    public void end() {
        sent.add(new byte[0]);
        try {
            if (!server.join(PATIENCE)) {
                throw new AssertionError("the server did not end");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        if (server.isAlive()) {
            end();
        }
    }

    private final class Feed extends InputStream {
        private byte @Nullable [] part;
        private int at;

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            try {
                byte[] now = part == null || at == part.length ? sent.take() : part;
                if (now.length == 0) {
                    sent.add(now);
                    return -1;
                }
                at = now == part ? at : 0;
                part = now;
                int count = Math.min(length, now.length - at);
                System.arraycopy(now, at, bytes, offset, count);
                at += count;
                return count;
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }
    }

    private final class Lines extends OutputStream {
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();

        @Override
        public void write(int b) throws IOException {
            if (isDeaf) {
                throw new IOException("Broken pipe");
            }
            if (b == '\n') {
                answers.add(line.toString(StandardCharsets.UTF_8));
                line.reset();
            } else {
                line.write(b);
            }
        }
    }
}
