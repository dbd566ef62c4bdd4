package dev.pheromone.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.address.Lane;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseLog.Durability;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The event stream as a client reads it that follows the rules for server-sent events to the
/// letter, and keeps an id only from an event that it dispatches.
///
/// An event that does not come would be waited for as long as the stream lives: for ever.
@Timeout(60)
final class EventSourceTest {

    @TempDir Path root;
    private ServedHive hive;

    @BeforeEach
    void serve() throws Exception {
        hive = new ServedHive(root);
    }

    @AfterEach
    void close() throws IOException {
        hive.close();
    }

    private record Event(String type, String data, String lastId) {}

    /// The first `count` events behind `lastId`.
    private List<Event> events(String lastId, int count) throws Exception {
        HttpRequest.Builder request = hive.request("/rse/sse");
        if (!lastId.isEmpty()) {
            request.header("Last-Event-ID", lastId);
        }
        List<Event> events = new ArrayList<>();
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(
                                hive.client
                                        .send(
                                                request.build(),
                                                HttpResponse.BodyHandlers.ofInputStream())
                                        .body(),
                                StandardCharsets.UTF_8))) {
            String id = lastId;
            String type = "";
            StringBuilder data = new StringBuilder();
            for (String line = lines.readLine();
                    line != null && events.size() < count;
                    line = lines.readLine()) {
                int colon = line.indexOf(':');
                String field = colon < 0 ? line : line.substring(0, colon);
                String value = colon < 0 ? "" : line.substring(colon + 1);
                value = value.startsWith(" ") ? value.substring(1) : value;
                if (line.isEmpty()) {
                    if (!data.isEmpty()) {
                        events.add(
                                new Event(
                                        type.isEmpty() ? "message" : type,
                                        data.substring(0, data.length() - 1),
                                        id));
                    }
                    type = "";
                    data.setLength(0);
                } else {
                    switch (field) {
                        case "event" -> type = value;
                        case "data" -> data.append(value).append('\n');
                        case "id" -> id = value;
                        default -> assertThat(field).as("a comment").isEmpty();
                    }
                }
                if (events.size() == count) {
                    break;
                }
            }
        }
        return events;
    }

    private void tell(String text) throws IOException {
        hive.files
                .log()
                .append(
                        new RseEvent.Other(
                                hive.clock.instant(),
                                "tick",
                                Lane.CODE,
                                "ada",
                                Json.obj().put("text", text)),
                        Durability.DISK);
    }

    @Test
    void aClientCutOffBeforeItsFirstEventComesBackToIt() throws Exception {
        tell("before");
        Event opening = events("", 1).getFirst();
        assertThat(opening.type()).isEqualTo("place");
        tell("while it was away");
        List<Event> events = events(opening.lastId(), 2);
        assertThat(events.getFirst()).isEqualTo(opening);
        assertThat(events.get(1).type()).isEqualTo("message");
        assertThat(events.get(1).data()).contains("while it was away");
    }
}
