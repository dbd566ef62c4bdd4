package dev.pheromone.server;

import dev.pheromone.text.Json;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

/// What the server answers.
///
/// @param content writes it
/// @param length its length in bytes, or 0 if that is not known before, or -1 if there is none
/// @param unsent done if the answer can't be given to the client
/// @param end done when it is over, one way or the other
record Reply(
        int status,
        String type,
        long length,
        Content content,
        Map<String, String> headers,
        Unsent unsent,
        Runnable end) {

    /// Within this time the other machine says that nobody there has the connection any more; who
    /// waited for mail hardly notices.
    private static final Duration HEAD_START = Duration.ofMillis(50);

    /// Writes an answer.
    interface Content {
        void writeTo(OutputStream out) throws IOException;
    }

    /// Takes back what was done for a client that is gone.
    interface Unsent {
        void undo() throws IOException;
    }

    static Reply text(int status, String type, String text) {
        return bytes(status, type, text.getBytes(StandardCharsets.UTF_8));
    }

    static Reply bytes(int status, String type, byte[] bytes) {
        return new Reply(
                status, type, bytes.length, out -> out.write(bytes), Map.of(), () -> {}, () -> {});
    }

    static Reply json(int status, Json.Obj body) {
        return text(status, "application/json", Json.obj().put("ok", true).putAll(body) + "\n");
    }

    static Reply nothing() {
        return nothing(204);
    }

    static Reply nothing(int status) {
        return new Reply(status, "", -1, _ -> {}, Map.of(), () -> {}, () -> {});
    }

    /// An answer that goes on until one of the two ends it.
    static Reply stream(String type, Content content) {
        return new Reply(200, type, 0, content, Map.of(), () -> {}, () -> {});
    }

    Reply with(Map<String, String> more) {
        return new Reply(status, type, length, content, more, unsent, end);
    }

    Reply orElse(Unsent undo) {
        return new Reply(status, type, length, content, headers, undo, end);
    }

    /// For a client that had to wait, and may be gone: the head of the answer goes ahead. Of a
    /// connection that was given up the first write is not known to fail, but the next one is.
    Reply headFirst() {
        return new Reply(
                status,
                type,
                length,
                out -> {
                    out.flush();
                    pause();
                    content.writeTo(out);
                },
                headers,
                unsent,
                end);
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(HEAD_START);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the server is being stopped");
        }
    }

    Reply closing(Runnable last) {
        return new Reply(status, type, length, content, headers, unsent, last);
    }
}
