package dev.pheromone.server;

import dev.pheromone.Discreet;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.Disclosure;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseLine;
import dev.pheromone.text.Json;

import java.nio.charset.StandardCharsets;

/// One entry of the event log as a server-sent event. Its id is the cursor behind it: whoever shows
/// it later goes on there. A class and no record, for the bytes in it are shared and not compared.
final class EventFrame {

    /// What is told of a line that can't be read. Why it can't would quote it, and it may be the
    /// torn event of private mail.
    static final String UNREADABLE = "the line can't be read as an event";

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

    /// @param disclosure what of an event may leave: one that may not is a frame without bytes
    static EventFrame of(RseEntry entry, Cursor after, Disclosure disclosure) {
        String data =
                switch (entry) {
                    case RseEntry.Read read ->
                            disclosure
                                    .of(read.event())
                                    .map(shown -> "data: " + line(shown))
                                    .orElse("");
                    case RseEntry.Bad bad ->
                            "event: bad\ndata: "
                                    + Json.obj()
                                            .put("offset", bad.offset())
                                            .put("reason", UNREADABLE);
                    case RseEntry.Restart restart ->
                            "event: restart\ndata: "
                                    + Json.obj().put("reason", Discreet.text(restart.reason()));
                };
        return new EventFrame(
                entry.offset(),
                entry instanceof RseEntry.Restart,
                after,
                data.isEmpty() ? new byte[0] : bytes(id(after) + data + "\n\n"));
    }

    private static String line(RseEvent event) {
        return new String(RseLine.write(event), StandardCharsets.UTF_8).stripTrailing();
    }

    /// Opens a stream: an event of its own, because clients keep no id from a block without data.
    /// Whoever is cut off before the first event of the log comes back with it.
    static byte[] place(Cursor cursor) {
        Json.Obj data =
                Json.obj()
                        .put("cursor", cursor.toString())
                        // Clients of version 0.1 look for one in every event that has a name.
                        .put("reason", "the stream begins here");
        return bytes(id(cursor) + "event: place\ndata: " + data + "\n\n");
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
