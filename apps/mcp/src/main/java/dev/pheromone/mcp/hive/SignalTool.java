package dev.pheromone.mcp.hive;

import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.hive.Pheromone;
import dev.pheromone.mcp.Call;
import dev.pheromone.rse.RseEvent.PheromoneDrop;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.text.Json;
import dev.pheromone.text.ShownText;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/// `signal`: leaves a hint that fades, or senses what others left.
final class SignalTool implements Tool {

    private static final Duration USUAL = Duration.ofHours(1);
    private static final int SENSED_MAX = 20;

    @Override
    public Told run(Session session, Arguments said, Setting setting, Call call)
            throws IOException {
        Instant now = setting.caller().now().truncatedTo(ChronoUnit.MILLIS);
        String topic = said.text("topic");
        return said.required("action").equals("drop")
                ? drop(session, said, setting, now)
                : sense(session.sense(drop -> topic == null || drop.topic().contains(topic)), now);
    }

    private static Told drop(Session session, Arguments said, Setting setting, Instant now)
            throws IOException {
        String topic = said.text("topic");
        if (topic == null || topic.isBlank()) {
            throw new ProblemException(Code.USAGE, "topic: missing");
        }
        Ttl ttl = said.ttl("ttl");
        PheromoneDrop drop;
        try {
            drop =
                    new PheromoneDrop(
                            now,
                            Lane.PROCESS,
                            setting.caller().actor(),
                            topic,
                            Priority.P2,
                            said.text("ref"),
                            ttl == null ? Ttl.of(USUAL) : ttl,
                            List.of());
        } catch (IllegalArgumentException e) {
            throw new ProblemException(Code.USAGE, String.valueOf(e.getMessage()), e);
        }
        Pheromone sensed = session.drop(drop, null);
        return Told.of(
                "dropped; gone " + Ages.relative(sensed.expiresAt(), now) + "\n", row(sensed, now));
    }

    private static Told sense(List<Pheromone> sensed, Instant now) {
        StringBuilder text = new StringBuilder();
        List<Json> items = new ArrayList<>();
        for (Pheromone pheromone : sensed) {
            if (items.size() == SENSED_MAX) {
                break;
            }
            text.append(tenths(pheromone.strength()))
                    .append("  ")
                    .append(ShownText.line(pheromone.topic()))
                    .append("  (")
                    .append(pheromone.drops())
                    .append(pheromone.drops() == 1 ? " drop, gone " : " drops, gone ")
                    .append(Ages.relative(pheromone.expiresAt(), now))
                    .append(")\n");
            items.add(row(pheromone, now));
        }
        return Told.of(
                items.isEmpty() ? "nothing to sense\n" : text.toString(),
                Json.obj().put("items", Json.arr(items)));
    }

    private static double tenths(double strength) {
        return Math.round(strength * 10) / 10.0;
    }

    private static Json.Obj row(Pheromone pheromone, Instant now) {
        return Json.obj()
                .put("topic", ShownText.line(pheromone.topic()))
                .put("strength", tenths(pheromone.strength()))
                .put("drops", pheromone.drops())
                .put("expires_in_s", pheromone.expiresIn(now).toSeconds());
    }
}
