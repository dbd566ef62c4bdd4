package dev.pheromone.mcp.hive;

import dev.pheromone.file.scope.Reservation;
import dev.pheromone.mcp.Call;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.session.hive.Reserving;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;
import dev.pheromone.text.ShownText;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// `reserve`: says which paths the caller is about to change, ends that, or shows what is reserved.
final class ReserveTool implements Tool {

    @Override
    public Told run(Session session, Arguments said, Setting setting, Call call)
            throws IOException {
        Reserving reserving = session.reserving();
        List<String> patterns = reserving.patterns(said.texts("paths"));
        if (said.flag("drop")) {
            return told(reserving.drop(patterns), "free again: ", "you have reserved nothing\n");
        }
        if (patterns.isEmpty()) {
            return told(reserving.list().reservations(), "reserved: ", "nothing is reserved\n");
        }
        Duration ttl = said.duration("ttl");
        String why = said.text("why");
        Reserving.Outcome outcome;
        try {
            outcome =
                    reserving.reserve(
                            patterns,
                            ttl == null ? Reserving.USUAL_TTL : ttl,
                            why == null ? "" : ShownText.line(why));
        } catch (IllegalArgumentException e) {
            throw new ProblemException(Code.USAGE, "paths: " + e.getMessage(), e);
        }
        return switch (outcome) {
            case Reserving.Outcome.Made(var reservation) ->
                    told(List.of(reservation), "reserved: ", "");
            case Reserving.Outcome.Held(var hold) ->
                    throw Reserving.held(patterns, hold, setting.isNear());
        };
    }

    private static Told told(List<Reservation> reservations, String begin, String none) {
        StringBuilder text = new StringBuilder(reservations.isEmpty() ? none : "");
        List<Json> items = new ArrayList<>();
        for (Reservation one : reservations) {
            List<String> paths = new ArrayList<>();
            one.paths().forEach(path -> paths.add(ShownText.line(path)));
            text.append(begin)
                    .append(String.join(" ", paths))
                    .append(", as ")
                    .append(one.id())
                    .append(" by ")
                    .append(one.holder())
                    .append(" until ")
                    .append(Reserving.clock(one.endsAt()))
                    .append('\n');
            items.add(
                    Json.obj()
                            .put("id", one.id())
                            .putTexts("paths", paths)
                            .put("holder", one.holder().name())
                            .put("why", ShownText.line(one.why()))
                            .put("ends_at", IsoTime.format(one.endsAt())));
        }
        return Told.of(text.toString(), Json.obj().put("items", Json.arr(items)));
    }
}
