package dev.pheromone.server;

import dev.pheromone.Json;
import dev.pheromone.http.Discreet;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseLine;

import java.nio.charset.StandardCharsets;

/// One entry of the event log as a server-sent event. Its id is the cursor behind it: whoever shows
/// it later goes on there. A class and no record, for the bytes in it are shared and not compared.
final class EventFrame {

    private final long offset;
    private final boolean restart;
    private final Cursor after;
    private final byte[] bytes;

    private EventFrame(long offset, boolean restart, Cursor after, byte[] bytes) {
        this.offset = offset;
        this.restart = restart;
        this.after = after;
        this.bytes = bytes;
    }

    /// Where its line begins in the log.
    long offset() {
        return offset;
    }

    /// Whether it says that another log begins behind it.
    boolean isRestart() {
        return restart;
    }

    /// Where to go on in the log behind it.
    Cursor after() {
        return after;
    }

    /// What is written to clients; nobody changes it.
    byte[] bytes() {
        return bytes;
    }

    static EventFrame of(RseEntry entry, Cursor after) {
        String data =
                switch (entry) {
                    case RseEntry.Read read ->
                            "data: "
                                    + new String(
                                                    RseLine.write(read.event()),
                                                    StandardCharsets.UTF_8)
                                            .stripTrailing();
                    case RseEntry.Bad bad ->
                            "event: bad\ndata: "
                                    + Json.obj()
                                            .put("offset", bad.offset())
                                            .put("reason", Discreet.text(bad.reason()));
                    case RseEntry.Restart restart ->
                            "event: restart\ndata: "
                                    + Json.obj().put("reason", Discreet.text(restart.reason()));
                };
        return new EventFrame(
                entry.offset(),
                entry instanceof RseEntry.Restart,
                after,
                bytes(id(after) + data + "\n\n"));
    }

    /// Sets the id that a client comes back with, and tells it nothing else.
    static byte[] place(Cursor cursor) {
        return bytes(id(cursor) + "\n");
    }

    /// A comment, which keeps what lies in between from giving the connection up.
    static byte[] heartbeat() {
        return bytes(":\n\n");
    }

    private static String id(Cursor cursor) {
        return "id: " + cursor + "\n";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
