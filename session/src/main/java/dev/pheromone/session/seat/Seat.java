package dev.pheromone.session.seat;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.session.caller.Identity;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// One session of an agent program at a hive.
///
/// @param session the program's own id of the session
/// @param version the program's version; empty if it does not say
/// @param transcript the file in which the program keeps the session; empty if it does not say
/// @param process null if no process above the hook is the program's
/// @param turn what the session did last
/// @param since when that began
/// @param attended whether a person sits before it
/// @param serves the domains whose mail it may work on
/// @param lastSeenAt its last sign of life
public record Seat(
        Actor actor,
        String harness,
        String session,
        String version,
        String transcript,
        @Nullable HarnessProcess process,
        Turn turn,
        Instant since,
        boolean attended,
        List<Domain> serves,
        Instant lastSeenAt) {

    private static final int NAME_DIGITS = 16;

    /// What a session did last.
    public enum Turn {
        /// It works on what it was asked for.
        WORKING,
        /// It waits to be asked.
        IDLE,
        /// It is over.
        OVER
    }

    /// How an idle session can be told that there is mail.
    public enum Waking {
        /// It watches folders.
        WATCH,
        /// Its program takes messages for it.
        QUEUE,
        /// It can't be told.
        NONE
    }

    public Seat {
        serves = List.copyOf(serves);
    }

    /// How this session can be woken.
    public Waking waking() {
        return switch (harness) {
            case "claude" -> Waking.WATCH;
            // Without a terminal its plugin watches nothing.
            case "opencode" -> attended ? Waking.WATCH : Waking.NONE;
            case "codex" -> Waking.QUEUE;
            default -> Waking.NONE;
        };
    }

    /// Whether what is told at `moment` gets to the model as if the user had written it.
    boolean speaksAsUser(Moment moment) {
        return harness.equals("opencode") && moment != Moment.TOOL;
    }

    /// The name of a session's file, without its ending.
    static String nameOf(String harness, String session) {
        return harness
                + "-"
                + ContentHash.of(session.getBytes(StandardCharsets.UTF_8))
                        .hex()
                        .substring(0, NAME_DIGITS);
    }

    String name() {
        return nameOf(harness, session);
    }

    /// The inbox of this session alone.
    public Domain ownInbox() {
        return new Address.Worker(Identity.asName(actor.name(), "actor")).domain();
    }

    /// Whether mail in `inbox` is for this session, too.
    public boolean hears(Domain inbox) {
        return inbox.equals(ownInbox()) || serves.contains(inbox);
    }

    /// Whether this is over, or its process is gone.
    public boolean isGone() {
        return turn == Turn.OVER || (process != null && !process.isAlive());
    }

    Seat serving(List<Domain> domains) {
        return with(turn, since, domains);
    }

    /// This seat, whose session goes on.
    Seat working(Instant now) {
        return with(Turn.WORKING, now, serves);
    }

    private Seat with(Turn newTurn, Instant newSince, List<Domain> newServes) {
        return new Seat(
                actor,
                harness,
                session,
                version,
                transcript,
                process,
                newTurn,
                newSince,
                attended,
                newServes,
                lastSeenAt);
    }

    Json.Obj json() {
        List<String> domains = new ArrayList<>();
        serves.forEach(domain -> domains.add(domain.name()));
        Json.Obj json =
                Json.obj()
                        .put("actor", actor.name())
                        .put("harness", harness)
                        .put("session", session)
                        .put("version", version)
                        .put("transcript", transcript)
                        .put("turn", turn.name().toLowerCase(Locale.ROOT))
                        .put("since", IsoTime.format(since))
                        .put("attended", attended)
                        .putTexts("serves", domains);
        return process == null
                ? json
                : json.put("pid", process.pid())
                        .put("started_at", IsoTime.format(process.startedAt()));
    }

    /// Reads what [#json] wrote; fails with an `IllegalArgumentException` on anything else.
    static Seat parse(Json.Obj json, Instant lastSeenAt) {
        List<Domain> serves = new ArrayList<>();
        for (String name : json.texts("serves")) {
            serves.add(Domain.parse(name));
        }
        return new Seat(
                Actor.parse(json.text("actor")),
                json.text("harness"),
                json.text("session"),
                json.text("version"),
                json.text("transcript"),
                json.has("pid")
                        ? new HarnessProcess(json.number("pid"), time(json, "started_at"))
                        : null,
                Turn.valueOf(json.text("turn").toUpperCase(Locale.ROOT)),
                time(json, "since"),
                json.flag("attended"),
                serves,
                lastSeenAt);
    }

    static Instant time(Json.Obj json, String name) {
        try {
            return Instant.parse(json.text(name));
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(name + ": " + e.getMessage(), e);
        }
    }
}
