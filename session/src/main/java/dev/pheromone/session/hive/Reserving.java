package dev.pheromone.session.hive;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Lane;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.file.log.GovernanceLog;
import dev.pheromone.file.scope.Hold;
import dev.pheromone.file.scope.Holds;
import dev.pheromone.file.scope.Reservation;
import dev.pheromone.file.scope.Reservations;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.FileProblem;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// The paths that one actor reserves: who may have them, for how long, and when they are free
/// again.
public final class Reserving {

    /// More than these at once are not a plan of one session.
    private static final int EACH_MAX = 32;

    private final Caller caller;
    private final Actor self;
    private final HiveLayout layout;
    private final PolicyGuard guard;
    private final Departures departures;
    private final Reservations reservations;

    public Reserving(Caller caller, OpenHive hive) {
        this(
                caller,
                caller.actor(),
                hive.layout(),
                hive.guard(),
                Departures.of(hive.layout(), hive.guard()));
    }

    /// @param self whose reservations: a hook speaks for its agent
    public Reserving(
            Caller caller,
            Actor self,
            HiveLayout layout,
            PolicyGuard guard,
            Departures departures) {
        this.caller = caller;
        this.self = self;
        this.layout = layout;
        this.guard = guard;
        this.departures = departures;
        this.reservations = Reservations.of(layout, guard);
    }

    /// Whether anything may be reserved at all; asked at each step of an agent, and so told by a
    /// folder's name.
    public static boolean isUsedAt(HiveLayout layout, PolicyGuard guard) {
        return Reservations.of(layout, guard).mayBeAny();
    }

    /// How long a reservation lasts where nobody says so.
    public static final Duration USUAL_TTL = Duration.ofMinutes(30);

    /// The patterns that `typed` means, each once.
    public List<String> patterns(List<String> typed) {
        List<String> patterns = new ArrayList<>();
        for (String one : typed) {
            if (one.isBlank()) {
                throw new ProblemException(
                                Code.USAGE,
                                "GLOB: found an empty text, expected a path below the hive root or"
                                        + " a glob")
                        .hint("such as src/parser, or \"src/**/*.java\"");
            }
            String pattern = TypedPattern.of(one, layout);
            if (!patterns.contains(pattern)) {
                patterns.add(pattern);
            }
        }
        return patterns;
    }

    /// What became of the wish to reserve.
    public sealed interface Outcome {

        record Made(Reservation reservation) implements Outcome {}

        /// Somebody else has some of it.
        record Held(Hold hold) implements Outcome {}
    }

    /// The problem that `hold` makes for whoever wants to reserve `patterns`.
    ///
    /// @param isWithReasons whether the caller may be told what the holder is about to do: over a
    ///   network, the topic of claimed mail may be none of their business
    public static ProblemException held(List<String> patterns, Hold hold, boolean isWithReasons) {
        String wanted = String.join(" ", patterns);
        String theirs = String.join(" ", hold.paths());
        String others = wanted.equals(theirs) ? wanted : wanted + " overlaps " + theirs + ", which";
        String by =
                switch (hold) {
                    case Hold.Reserved(var reservation, var _) ->
                            " is reserved by "
                                    + hold.holder()
                                    + " until "
                                    + clock(hold.endsAt())
                                    + (isWithReasons && !reservation.why().isEmpty()
                                            ? " (" + reservation.why() + ")"
                                            : "");
                    case Hold.Claimed claimed ->
                            " is in work that "
                                    + hold.holder()
                                    + " has claimed until "
                                    + clock(hold.endsAt())
                                    + (isWithReasons ? ": " + claimed.topic() : "");
                };
        return new ProblemException(Code.CONFLICT, others + by + "; nothing was reserved")
                .hint(
                        "reserve other paths, ask "
                                + hold.holder()
                                + " (rsm send --to worker://"
                                + hold.holder()
                                + "), or wait; what is reserved:")
                .fix("rsm reserve --list")
                .detail("holder", Json.of(hold.holder().name()))
                .detail("held_paths", Json.texts(hold.paths()))
                .detail("ends_at", Json.of(IsoTime.format(hold.endsAt())));
    }

    /// Reserves what `patterns` cover. Those that the caller has for the very same patterns end.
    ///
    /// @throws IllegalArgumentException if one of them is no pattern
    public Outcome reserve(List<String> patterns, Duration ttl, String why) throws IOException {
        requireLength(ttl);
        if (why.length() > Reservation.WHY_LENGTH_MAX) {
            throw new ProblemException(
                            Code.USAGE,
                            "found %d characters, expected at most %d"
                                    .formatted(why.length(), Reservation.WHY_LENGTH_MAX))
                    .in("why");
        }
        Instant now = caller.now();
        Reservations.Result result =
                reservations.add(
                        self, patterns, why, ttl, now, view -> against(patterns, view, now));
        return switch (result) {
            case Reservations.Result.Made(var hold) -> {
                tell(
                        "reservation_set",
                        data(hold.reservation()).put("ends_at", IsoTime.format(hold.endsAt())));
                yield new Outcome.Made(hold.reservation());
            }
            case Reservations.Result.Held(var hold) -> {
                tell(
                        "reservation_refused",
                        Json.obj().putTexts("paths", patterns).put("holder", hold.holder().name()));
                yield new Outcome.Held(hold);
            }
            case Reservations.Result.Busy _ ->
                    throw new ProblemException(
                                    Code.REFUSED,
                                    "others are reserving paths; nothing was reserved")
                            .hint("the same again:")
                            .remedy(new ProblemException.Remedy.Same());
        };
    }

    private static void requireLength(Duration ttl) {
        if (ttl.compareTo(Reservation.TTL_MIN) < 0 || ttl.compareTo(Reservation.TTL_MAX) > 0) {
            throw new ProblemException(
                            Code.USAGE,
                            "found %ds, expected %dm to %dh"
                                    .formatted(
                                            ttl.toSeconds(),
                                            Reservation.TTL_MIN.toMinutes(),
                                            Reservation.TTL_MAX.toHours()))
                    .in("ttl")
                    .hint("your hooks renew it while you work; type the command again for more");
        }
    }

    private @Nullable Hold against(List<String> patterns, Reservations.View view, Instant now)
            throws IOException {
        int own = 0;
        for (Hold.Reserved hold : view.live()) {
            boolean isSame = hold.paths().equals(patterns);
            own += hold.holder().equals(self) && !isSame ? 1 : 0;
        }
        if (own >= EACH_MAX) {
            throw new ProblemException(
                            Code.REFUSED,
                            "%s has %d reservations, expected fewer than %d"
                                    .formatted(self, own, EACH_MAX))
                    .hint("end them all:")
                    .fix("rsm reserve --drop");
        }
        for (Hold hold : new Holds(layout, guard, self, now).overlapping(patterns, view)) {
            if (!ScopeCheck.isOver(hold, departures)) {
                return hold;
            }
        }
        return null;
    }

    /// What is reserved, oldest first.
    public Reservations.View list() throws IOException {
        Reservations.View view = reservations.view(caller.now());
        List<Hold.Reserved> live = new ArrayList<>();
        for (Hold.Reserved hold : view.live()) {
            if (!ScopeCheck.isOver(hold, departures)) {
                live.add(hold);
            }
        }
        return new Reservations.View(live, view.unreadable());
    }

    /// Ends the caller's reservations that `said` names, each by its id or one of its patterns; all
    /// of them if it names none. Those of others are ended by id, and by people alone.
    public List<Reservation> drop(List<String> said) throws IOException {
        List<Reservation> dropped = new ArrayList<>();
        for (Reservation reservation : said.isEmpty() ? own() : named(said)) {
            if (reservations.remove(reservation)) {
                dropped.add(reservation);
                tell("reservation_dropped", data(reservation).put("by", self.name()));
            }
        }
        return dropped;
    }

    private List<Reservation> own() throws IOException {
        List<Reservation> own = new ArrayList<>();
        for (Hold.Reserved hold : reservations.view(caller.now()).live()) {
            if (hold.holder().equals(self)) {
                own.add(hold.reservation());
            }
        }
        return own;
    }

    private List<Reservation> named(List<String> said) throws IOException {
        List<Reservation> found = new ArrayList<>();
        for (String name : said) {
            int before = found.size();
            for (Hold.Reserved hold : reservations.view(caller.now()).live()) {
                boolean isOwn = hold.holder().equals(self);
                boolean isNamed =
                        hold.reservation().id().equals(name)
                                || (isOwn && hold.paths().contains(name));
                if (isNamed && !isOwn && !caller.identity().isPerson(caller.user())) {
                    throw new ProblemException(
                                    Code.NOT_A_PERSON,
                                    "%s is reserved by %s: to end what others reserve is for people"
                                            .formatted(name, hold.holder()))
                            .hint("ask a person to type it:")
                            .remedy(new ProblemException.Remedy.Same());
                }
                if (isNamed && !found.contains(hold.reservation())) {
                    found.add(hold.reservation());
                }
            }
            if (found.size() == before) {
                throw new ProblemException(Code.NO_SUCH_ID, "no reservation \"" + name + "\"")
                        .hint("what is reserved:")
                        .fix("rsm reserve --list");
            }
        }
        return found;
    }

    /// Takes a sign of life of the caller, where it has reserved something.
    public void renew() throws IOException {
        reservations.renew(self, caller.now());
    }

    /// Ends all that the caller has reserved: its session is over.
    public void leave() throws IOException {
        if (reservations.mayHave(self)) {
            List<Reservation> _ = drop(List.of());
        }
    }

    private static Json.Obj data(Reservation reservation) {
        return Json.obj()
                .put("id", reservation.id())
                .putTexts("paths", reservation.paths())
                .put("holder", reservation.holder().name());
    }

    /// What is written says no more than which paths and whose: reasons, and the mail of a claim
    /// that stands in the way, may be private.
    private void tell(String type, Json.Obj data) {
        try (GovernanceLog log = GovernanceLog.of(layout, guard)) {
            log.append(
                    List.of(RseEvent.of(caller.now(), type, Lane.GOVERNANCE, self.name(), data)));
        } catch (IOException e) {
            caller.warn("event log: " + FileProblem.describe(e));
        }
    }

    /// The time of day, as it is said beside `until`: `14:20Z`.
    public static String clock(Instant time) {
        return IsoTime.format(time).substring(11, 16) + "Z";
    }
}
