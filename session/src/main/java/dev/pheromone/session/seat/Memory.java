package dev.pheromone.session.seat;

import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Header;
import dev.pheromone.envelope.Priority;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// What the bell of one seat remembers from one hook to the next: which mail it has met, what it
/// has rung, and which nonces nobody has answered yet. Without a memory the bell rings again.
final class Memory {

    /// More rings without an answer are forgotten, the oldest first.
    private static final int RINGS_MAX = 32;

    private static final Instant NEVER = Instant.EPOCH;

    /// Mail that the bell has met.
    ///
    /// @param file the name of its file
    /// @param rungAt when it was rung last in this session; the epoch if it never was
    /// @param isSeen whether a model is known to have seen that it is there
    /// @param isNoMatter whether it is never rung: it is no mail, or the session's own
    record Heard(
            Domain inbox,
            String file,
            String id,
            Priority priority,
            Lane lane,
            Consent consent,
            Instant expiresAt,
            Instant rungAt,
            boolean isSeen,
            boolean isNoMatter) {

        static Heard of(Domain inbox, String file, Header header, boolean isNoMatter) {
            return new Heard(
                    inbox,
                    file,
                    header.id().text(),
                    header.priority(),
                    header.lane(),
                    header.consent(),
                    header.expiresAt(),
                    NEVER,
                    false,
                    isNoMatter);
        }

        /// A file that is no mail.
        static Heard noMail(Domain inbox, String file) {
            return new Heard(
                    inbox,
                    file,
                    "",
                    Priority.P3,
                    Lane.CODE,
                    Consent.TEAM,
                    NEVER,
                    NEVER,
                    false,
                    true);
        }

        boolean isRung() {
            return !rungAt.equals(NEVER);
        }

        String key() {
            return keyOf(inbox, file);
        }

        static String keyOf(Domain inbox, String file) {
            return inbox.name() + "/" + file;
        }

        Heard rung(Instant now) {
            return with(now, isSeen);
        }

        Heard seen() {
            return with(rungAt, true);
        }

        private Heard with(Instant newRungAt, boolean newIsSeen) {
            return new Heard(
                    inbox,
                    file,
                    id,
                    priority,
                    lane,
                    consent,
                    expiresAt,
                    newRungAt,
                    newIsSeen,
                    isNoMatter);
        }

        private Json json() {
            return Json.obj()
                    .put("inbox", inbox.name())
                    .put("file", file)
                    .put("id", id)
                    .put("priority", priority.name())
                    .put("lane", lane.name())
                    .put("consent", consent.toString())
                    .put("expires_at", IsoTime.format(expiresAt))
                    .put("rung_at", IsoTime.format(rungAt))
                    .put("seen", isSeen)
                    .put("no_matter", isNoMatter);
        }

        private static Heard parse(Json json) {
            Json.Obj heard = object(json);
            return new Heard(
                    Domain.parse(heard.text("inbox")),
                    heard.text("file"),
                    heard.text("id"),
                    Priority.parse(heard.text("priority")),
                    Lane.parse(heard.text("lane")),
                    Consent.parse(heard.text("consent")),
                    Seat.time(heard, "expires_at"),
                    Seat.time(heard, "rung_at"),
                    heard.flag("seen"),
                    heard.flag("no_matter"));
        }
    }

    /// A text that was printed with a nonce in it, and the mail that it named.
    ///
    /// @param nonceHash the SHA-256 of the nonce
    record Ring(String nonceHash, Instant at, Moment moment, List<Heard> named) {

        Ring {
            named = List.copyOf(named);
        }

        private Json json() {
            List<Json> mail = new ArrayList<>();
            named.forEach(heard -> mail.add(heard.json()));
            return Json.obj()
                    .put("nonce", nonceHash)
                    .put("at", IsoTime.format(at))
                    .put("moment", moment.toString())
                    .put("named", Json.arr(mail));
        }

        private static Ring parse(Json json) {
            Json.Obj ring = object(json);
            List<Heard> named = new ArrayList<>();
            ring.list("named").forEach(item -> named.add(Heard.parse(item)));
            return new Ring(
                    ring.text("nonce"),
                    Seat.time(ring, "at"),
                    Moment.valueOf(ring.text("moment").toUpperCase(Locale.ROOT)),
                    named);
        }
    }

    private final Map<String, Heard> heard = new LinkedHashMap<>();
    private final Map<Domain, String> marks = new HashMap<>();
    private final List<Ring> rings = new ArrayList<>();
    private long turns;
    private long heldTurn = -1;
    private Instant rangAt = NEVER;
    private Instant lookAt = NEVER;

    void beginTurn() {
        turns++;
    }

    /// Whether a stop of this turn was held already.
    boolean hasHeld() {
        return heldTurn == turns;
    }

    void noteHeld() {
        heldTurn = turns;
    }

    Instant rangAt() {
        return rangAt;
    }

    /// When there may be something to ring though nothing comes; the epoch if at no time.
    boolean isDue(Instant now) {
        return !lookAt.equals(NEVER) && !now.isBefore(lookAt);
    }

    void lookAgain(@Nullable Instant time) {
        lookAt = time == null ? NEVER : time;
    }

    /// Whether the folder of `inbox` is as it was when it was listed last.
    boolean isAsListed(Domain inbox, String mark) {
        return mark.equals(marks.get(inbox));
    }

    /// @param mark what tells the folder from every other state of it; empty if nothing does
    void listed(Domain inbox, String mark) {
        if (mark.isEmpty()) {
            marks.remove(inbox);
        } else {
            marks.put(inbox, mark);
        }
    }

    @Nullable Heard heard(Domain inbox, String file) {
        return heard.get(Heard.keyOf(inbox, file));
    }

    void put(Heard mail) {
        heard.put(mail.key(), mail);
    }

    void forget(Heard mail) {
        heard.remove(mail.key());
    }

    List<Heard> all() {
        return List.copyOf(heard.values());
    }

    List<Ring> rings() {
        return List.copyOf(rings);
    }

    void ring(Ring ring, List<Heard> named) {
        rangAt = ring.at();
        named.forEach(mail -> put(mail.rung(ring.at())));
        if (!ring.nonceHash().isEmpty()) {
            rings.add(ring);
        }
        if (rings.size() > RINGS_MAX) {
            rings.removeFirst();
        }
    }

    /// Notes that a model saw what `ring` said.
    void seen(Ring ring) {
        rings.remove(ring);
        for (Heard named : ring.named()) {
            Heard known = heard.get(named.key());
            if (known != null && known.id().equals(named.id())) {
                put(known.seen());
            }
        }
    }

    /// Whether a ring at a prompt waits for a sign that a model saw it.
    boolean awaitsTool() {
        for (Ring ring : rings) {
            if (ring.moment() == Moment.PROMPT) {
                return true;
            }
        }
        return false;
    }

    Json.Obj json() {
        List<Json> mail = new ArrayList<>();
        heard.values().forEach(item -> mail.add(item.json()));
        List<Json> rung = new ArrayList<>();
        rings.forEach(ring -> rung.add(ring.json()));
        Json.Obj folders = Json.obj();
        for (Map.Entry<Domain, String> mark : marks.entrySet()) {
            folders = folders.put(mark.getKey().name(), mark.getValue());
        }
        return Json.obj()
                .put("turns", turns)
                .put("held_turn", heldTurn)
                .put("rang_at", IsoTime.format(rangAt))
                .put("look_at", IsoTime.format(lookAt))
                .put("folders", folders)
                .put("heard", Json.arr(mail))
                .put("rings", Json.arr(rung));
    }

    /// Reads what [#json] wrote; fails with an `IllegalArgumentException` on anything else.
    static Memory parse(Json.Obj json) {
        Memory memory = new Memory();
        memory.turns = json.number("turns");
        memory.heldTurn = json.number("held_turn");
        memory.rangAt = Seat.time(json, "rang_at");
        memory.lookAt = Seat.time(json, "look_at");
        Json.Obj folders = json.object("folders");
        for (String name : folders.names()) {
            memory.marks.put(Domain.parse(name), folders.text(name));
        }
        json.list("heard").forEach(item -> memory.put(Heard.parse(item)));
        json.list("rings").forEach(item -> memory.rings.add(Ring.parse(item)));
        return memory;
    }

    private static Json.Obj object(Json json) {
        if (json instanceof Json.Obj object) {
            return object;
        }
        throw new IllegalArgumentException("found no object");
    }

    /// The id of mail that is some.
    static EnvelopeId id(Heard mail) {
        return EnvelopeId.parse(mail.id());
    }
}
