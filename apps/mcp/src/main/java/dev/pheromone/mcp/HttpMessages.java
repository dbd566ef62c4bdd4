package dev.pheromone.mcp;

import dev.pheromone.address.Actor;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;

/// Messages of the protocol over HTTP, each in a request of its own. There are no sessions: who
/// asks is known by the token of each request, and nothing else is remembered.
///
/// What the server that has the connection checks is not checked here: token, origin, length.
public final class HttpMessages implements Closeable {

    /// A message has no more bytes over HTTP than on a line.
    public static final int BYTES_MAX = StdioServer.LINE_BYTES_MAX;

    /// How often a client that waits is shown that its request is worked on.
    private static final Duration HEARTBEAT = Duration.ofSeconds(5);

    private final Methods methods;
    private final Protocol protocol;
    private volatile boolean isClosed;

    public HttpMessages(Methods methods) {
        this.methods = methods;
        this.protocol = new Protocol(methods);
    }

    /// The headers of a request.
    public interface Headers {
        Optional<String> first(String name);
    }

    /// What to answer.
    public sealed interface Reply {

        /// A JSON text.
        ///
        /// @param unsent done if the text can't be given to the client
        record Whole(int status, String json, Runnable unsent) implements Reply {}

        /// Nothing: the message was none that is answered.
        record Accepted() implements Reply {}

        /// Events, which `content` writes as they come.
        record Events(Content content) implements Reply {}
    }

    /// Writes an answer while it comes. Fails if the client is gone, and then nothing is lost.
    public interface Content {
        void writeTo(OutputStream out) throws IOException;
    }

    /// Answers a message.
    ///
    /// @param actor for whom the client has proven to speak
    public Reply answer(Headers headers, byte[] body, Actor actor) throws IOException {
        Message message;
        try {
            message = Message.parse(body);
        } catch (RpcException e) {
            return failed(e, e.code().status());
        }
        return switch (message) {
            case Message.Response response -> {
                methods.replied(response);
                yield new Reply.Accepted();
            }
            // Whoever cancels a call closes its connection, since no two requests belong together.
            case Message.Notification _ -> new Reply.Accepted();
            case Message.Request request -> answer(headers, request, actor);
        };
    }

    private Reply answer(Headers headers, Message.Request request, Actor actor) throws IOException {
        Revision revision = null;
        try {
            revision =
                    Protocol.revision(
                            request, headers.first("MCP-Protocol-Version").orElse("").strip());
            if (revision.isStateless()) {
                requireFitting(headers, request);
            }
            Quiet quiet = new Quiet();
            Call call = new Call(request, revision, actor, quiet);
            boolean takesEvents = headers.first("Accept").orElse("").contains("text/event-stream");
            if (takesEvents && methods.isLong(call)) {
                Revision known = revision;
                return new Reply.Events(out -> follow(request, known, actor, out));
            }
            Answer answer = protocol.answer(call);
            return new Reply.Whole(
                    200,
                    Protocol.response(request.id(), answer.result()).toString(),
                    answer.unsent());
        } catch (RpcException e) {
            return failed(e.to(request.id()), statusOf(e, revision));
        }
    }

    /// Older revisions answer every request that they understand with 200.
    private static int statusOf(RpcException e, @Nullable Revision revision) {
        return revision == null || revision.isStateless() ? e.code().status() : 200;
    }

    private static Reply failed(RpcException e, int status) {
        return new Reply.Whole(status, e.json().toString(), () -> {});
    }

    /// A stateless request says what it is about in headers, too, for whoever stands between; they
    /// must say what the message says.
    private static void requireFitting(Headers headers, Message.Request request) {
        require(headers, "MCP-Protocol-Version", Revision.JULY_2026.toString());
        require(headers, "Mcp-Method", request.method());
        String named =
                switch (request.method()) {
                    case "tools/call", "prompts/get" -> "name";
                    case "resources/read" -> "uri";
                    default -> "";
                };
        Optional<String> name =
                named.isEmpty() ? Optional.empty() : request.params().optionalText(named);
        if (name.isPresent()) {
            require(headers, "Mcp-Name", name.get());
        }
    }

    private static void require(Headers headers, String header, String expected) {
        String found = headers.first(header).map(value -> decoded(value.strip())).orElse("");
        if (!found.equals(expected)) {
            throw new RpcException(
                    RpcCode.HEADER_MISMATCH,
                    header
                            + ": found \""
                            + found
                            + "\", expected \""
                            + expected
                            + "\", as the message says");
        }
    }

    /// What a header's value stands for: text that a header can't hold comes as Base64.
    private static String decoded(String value) {
        if (!value.startsWith("=?base64?") || !value.endsWith("?=")) {
            return value;
        }
        try {
            return new String(
                    Base64.getDecoder()
                            .decode(value.substring("=?base64?".length(), value.length() - 2)),
                    StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return value;
        }
    }

    private void follow(Message.Request request, Revision revision, Actor actor, OutputStream out)
            throws IOException {
        Events events = new Events(out);
        Call call = new Call(request, revision, actor, events);
        Answer answer;
        try {
            answer = protocol.answer(call);
        } catch (RpcException e) {
            events.send(e.to(request.id()).json());
            return;
        }
        boolean isGiven = false;
        try {
            // Of a connection that was given up the first write is not known to fail.
            events.beat();
            events.send(Protocol.response(request.id(), answer.result()));
            isGiven = true;
        } finally {
            if (!isGiven) {
                answer.unsent().run();
            }
        }
    }

    private void requireOpen() throws IOException {
        if (isClosed) {
            throw new IOException("the server is being stopped");
        }
    }

    /// Lets go of whoever waits.
    @Override
    public void close() {
        isClosed = true;
    }

    /// The way to a client that gets one answer, and nothing before it.
    private final class Quiet implements Call.Channel {

        @Override
        public void send(Json.Obj message) {
            // A message that does not fit into one answer is left out: none of ours is needed.
        }

        @Override
        public void keepAlive() throws IOException {
            // Nothing can be shown before the answer.
            requireOpen();
        }
    }

    /// The way to a client that gets events.
    private final class Events implements Call.Channel {

        private final OutputStream out;
        private long beatAt = System.nanoTime();

        Events(OutputStream out) {
            this.out = out;
        }

        @Override
        public void send(Json.Obj message) throws IOException {
            write("event: message\ndata: " + message + "\n\n");
        }

        @Override
        public synchronized void keepAlive() throws IOException {
            requireOpen();
            if (System.nanoTime() - beatAt > HEARTBEAT.toNanos()) {
                beat();
            }
        }

        synchronized void beat() throws IOException {
            beatAt = System.nanoTime();
            write(": working\n\n");
        }

        private synchronized void write(String text) throws IOException {
            out.write(text.getBytes(StandardCharsets.UTF_8));
            out.flush();
        }
    }
}
