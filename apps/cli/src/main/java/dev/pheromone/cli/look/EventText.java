package dev.pheromone.cli.look;

import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Style;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.session.caller.Phrase;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/// An event as people and programs see it.
final class EventText {

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss'Z'").withZone(ZoneOffset.UTC);

    private EventText() {}

    /// The event as it stands in the log: `ts, type, lane, actor, data`.
    static Json.Obj json(RseEvent event) {
        return Json.obj()
                .put("ts", IsoTime.format(event.ts()))
                .put("type", event.type())
                .put("lane", event.lane().name())
                .put("actor", event.actor())
                .put("data", event.data());
    }

    /// One line: `2025-10-15 17:10:00Z worker_ack you ref=k3f9x2 status=done`.
    static String line(RseEvent event, Screen screen) {
        return screen.styled(Style.DIM, TIME.format(event.ts()))
                + "  "
                + screen.styled(Style.BOLD, SafeText.line(event.type()))
                + "  "
                + SafeText.line(event.lane().name())
                + "  "
                + SafeText.line(event.actor())
                + "  "
                + data(event.data());
    }

    /// The fields of an object as `name=value`.
    static String data(Json.Obj data) {
        return SafeText.line(Phrase.fields(data));
    }
}
