package dev.pheromone.mcp;

import dev.pheromone.text.Json;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// A server for the one client that has started it: a message a line, in and out, and nothing else
/// on the way out. It ends when the client closes its side.
///
/// Calls are answered beside each other, each on a thread that nobody interrupts: an operation on a
/// hive is not to be cut short. Whatever waits stops waiting when the client says so or is gone.
public final class StdioServer {

    /// Many times what the largest envelope needs.
    static final int LINE_BYTES_MAX = 1 << 20;

    /// A model asks for a handful of things at once.
    static final int CALLS_MAX = 32;

    /// How long calls that are under way may take after the client closed its side.
    private static final long END_S_MAX = 30;

    private final Methods methods;
    private final Protocol protocol;
    private final InputStream in;
    private final OutputStream out;
    private final Consumer<String> log;
    private final Ended ended;
    private final Map<Json, Call> calls = new ConcurrentHashMap<>();
    private final Map<Json, CountDownLatch> ends = new ConcurrentHashMap<>();

    /// Hears that a call has ended, before anybody stops waiting for that end.
    public interface Ended {
        void look() throws IOException;
    }

    /// @param log is told what is wrong with the client, or with this program
    public StdioServer(Methods methods, InputStream in, OutputStream out, Consumer<String> log) {
        this(methods, in, out, log, () -> {});
    }

    /// @param log is told what is wrong with the client, or with this program
    public StdioServer(
            Methods methods, InputStream in, OutputStream out, Consumer<String> log, Ended ended) {
        this.methods = methods;
        this.protocol = new Protocol(methods);
        this.in = in;
        this.out = out;
        this.log = log;
        this.ended = ended;
    }

    /// Whether no call is under way, for whoever asks before the next line is read.
    public boolean isAtRest() {
        return calls.isEmpty();
    }

    /// Answers until the client closes its side.
    public void run() throws IOException {
        LineReader lines = new LineReader(in, LINE_BYTES_MAX);
        try {
            for (LineReader.Line line = lines.next(); line != null; line = lines.next()) {
                read(line);
            }
        } finally {
            calls.values().forEach(Call::end);
            awaitCalls();
        }
    }

    private void awaitCalls() {
        try {
            for (CountDownLatch end : ends.values()) {
                boolean _ = end.await(END_S_MAX, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void read(LineReader.Line line) throws IOException {
        byte[] bytes = line.bytes();
        try {
            if (bytes == null) {
                throw new RpcException(
                        RpcCode.INVALID_REQUEST,
                        "the line has more than " + LINE_BYTES_MAX + " bytes; it was not read");
            }
            if (!isBlank(bytes)) {
                take(Message.parse(bytes));
            }
        } catch (RpcException e) {
            log.accept("a message was refused: " + e.getMessage());
            write(e.json());
        }
    }

    private static boolean isBlank(byte[] line) {
        for (byte b : line) {
            if (b != ' ' && b != '\t') {
                return false;
            }
        }
        return true;
    }

    private void take(Message message) throws IOException {
        switch (message) {
            case Message.Request request -> begin(request);
            case Message.Response response -> methods.replied(response);
            case Message.Notification told -> {
                Call call =
                        told.method().equals("notifications/cancelled")
                                ? calls.get(told.params().get("requestId").orElse(Json.Null.NULL))
                                : null;
                if (call != null) {
                    call.cancel();
                }
            }
        }
    }

    private void begin(Message.Request request) throws IOException {
        Call call;
        try {
            call = new Call(request, Protocol.revision(request, ""), null, new Stream());
        } catch (RpcException e) {
            throw e.to(request.id());
        }
        if (!request.method().equals("tools/call")) {
            // At once, and in the order in which they come.
            answer(call);
            return;
        }
        if (calls.size() >= CALLS_MAX) {
            throw new RpcException(RpcCode.BUSY, CALLS_MAX + " calls are under way, expected fewer")
                    .to(request.id());
        }
        if (calls.putIfAbsent(request.id(), call) != null) {
            throw new RpcException(
                            RpcCode.INVALID_REQUEST, "id: another call of this id is under way")
                    .to(request.id());
        }
        CountDownLatch end = new CountDownLatch(1);
        ends.put(request.id(), end);
        Thread _ =
                Thread.ofVirtual()
                        .start(() -> {
                            try {
                                answer(call);
                            } catch (IOException e) {
                                // Nobody reads any more; the end of the input ends us.
                                call.end();
                            } finally {
                                calls.remove(request.id());
                                look();
                                ends.remove(request.id());
                                end.countDown();
                            }
                        });
    }

    private void look() {
        try {
            ended.look();
        } catch (IOException e) {
            // The client is gone, and the end of the input ends us.
        }
    }

    private void answer(Call call) throws IOException {
        Json id = call.request().id();
        Answer answer;
        try {
            answer = protocol.answer(call);
        } catch (RpcException e) {
            write(e.to(id).json());
            return;
        } catch (IOException | RuntimeException e) {
            log.accept("a defect of this server: " + e);
            write(new RpcException(RpcCode.INTERNAL, "a defect of this server").to(id).json());
            return;
        }
        boolean isGiven = false;
        try {
            isGiven = give(call, Protocol.response(id, answer.result()));
        } finally {
            if (!isGiven) {
                answer.unsent().run();
            }
        }
    }

    /// Whether the client was still there for the answer.
    private boolean give(Call call, Json.Obj response) throws IOException {
        synchronized (out) {
            if (call.isCancelled()) {
                return false;
            }
            write(response);
            return true;
        }
    }

    private void write(Json.Obj message) throws IOException {
        byte[] line = (message + "\n").getBytes(StandardCharsets.UTF_8);
        synchronized (out) {
            out.write(line);
            out.flush();
        }
    }

    /// The way to the client while a call is under way.
    private final class Stream implements Call.Channel {

        @Override
        public void send(Json.Obj message) throws IOException {
            write(message);
        }

        @Override
        public void keepAlive() {
            // Whoever started this program sees that it runs.
        }
    }
}
