package dev.pheromone.hive;

import dev.pheromone.address.Actor;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.hive.Pheromones.Place;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseEvent.PheromoneDrop;
import dev.pheromone.rse.RseEvent.QueenSelect;
import dev.pheromone.rse.RseLog;
import dev.pheromone.rse.RseLog.Durability;
import dev.pheromone.rse.RseReading;
import dev.pheromone.rse.RseScope;
import dev.pheromone.selection.HalfLife;
import dev.pheromone.text.IsoTime;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// A queen's way to act without mail: it senses what the log says is in the air, and takes the
/// strongest that nobody has acted on since its newest drop.
///
/// Drops that announce mail are no pheromones of their own: the mail has an inbox. Whoever drops on
/// a topic again after somebody took it makes it free to be taken again.
///
/// Reads the log each time, as far as something in it is alive, and keeps that. Between reading and
/// writing, another may choose the same: whoever shares a log with others takes under a lock that
/// they share.
public final class Forager {

    /// In `queen_select`: the newest drop that it was decided by. The event's own time would not
    /// do: a drop may be dated ahead of it.
    private static final String NEWEST_AT = "newest_at";

    private static final String EMIT = "rsm_envelope_emit";
    private static final String SELECT = "queen_select";

    private final RseLog log;
    private final HalfLife halfLife;
    private final Actor actor;

    /// A forager that takes in the name of `actor`.
    public Forager(RseLog log, HalfLife halfLife, Actor actor) {
        this.log = log;
        this.halfLife = halfLife;
        this.actor = actor;
    }

    /// What was taken, and why this one.
    public record Find(Pheromone pheromone, String rationale) {}

    /// What can be sensed of the drops that are `wanted`, the strongest first, acted on or not.
    public List<Pheromone> sensed(Predicate<PheromoneDrop> wanted, Instant now) throws IOException {
        return new Trail(now).read().sensed(wanted);
    }

    /// What [#take] would take.
    public Optional<Find> look(Predicate<PheromoneDrop> wanted, Instant now) throws IOException {
        Trail trail = new Trail(now).read();
        List<Pheromone> sensed = trail.sensed(wanted);
        trail.readSelections(sensed);
        List<Pheromone> free = sensed.stream().filter(each -> !trail.isActedOn(each)).toList();
        return free.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new Find(free.getFirst(), rationale(free.getFirst(), free.size(), now)));
    }

    /// Takes the strongest that is free, of the drops that are `wanted`: once this returns,
    /// `pheromone_sense` and `queen_select` are in the log and on the disk.
    public Optional<Find> take(Predicate<PheromoneDrop> wanted, Instant now) throws IOException {
        return take(wanted, null, now);
    }

    /// As [#take(Predicate, Instant)].
    ///
    /// @param state what the actor is doing, for the event
    public Optional<Find> take(Predicate<PheromoneDrop> wanted, @Nullable String state, Instant now)
            throws IOException {
        Optional<Find> found = look(wanted, now);
        if (found.isPresent()) {
            log.append(events(found.get(), state, now), Durability.DISK);
        }
        return found;
    }

    private List<RseEvent> events(Find find, @Nullable String state, Instant now) {
        Pheromone pheromone = find.pheromone();
        QueenSelect select =
                new QueenSelect(now, pheromone.lane(), actor, pheromone.topic(), find.rationale());
        return List.of(
                new RseEvent.PheromoneSense(now, pheromone.lane(), actor, pheromone.topic(), state),
                new QueenSelect(
                        now,
                        pheromone.lane(),
                        actor.name(),
                        select.data().put(NEWEST_AT, IsoTime.format(pheromone.newestAt()))));
    }

    private static String rationale(Pheromone pheromone, int choices, Instant now) {
        Duration age = Duration.between(pheromone.newestAt(), now);
        return String.format(
                Locale.ROOT,
                "%d %s, newest %s ago, gone in %s, strength %.1f of at most %.0f, first of %d",
                pheromone.drops(),
                pheromone.drops() == 1 ? "drop" : "drops",
                Ttl.format(age.isNegative() ? Duration.ZERO : age),
                Ttl.format(pheromone.expiresIn(now)),
                pheromone.strength(),
                pheromone.strengthMax(),
                choices);
    }

    /// What a log says, as far as it matters at one moment.
    private final class Trail {

        private final Instant now;
        private final List<PheromoneDrop> drops = new ArrayList<>();
        private final Set<String> mail = new HashSet<>();
        private final Map<Place, Instant> actedOn = new HashMap<>();

        Trail(Instant now) {
            this.now = now;
        }

        Trail read() throws IOException {
            read(
                    RseScope.ALL.signalsAt(now),
                    event -> {
                        if (event instanceof PheromoneDrop drop && Pheromones.isAlive(drop, now)) {
                            drops.add(drop);
                        }
                        noteMail(event);
                    });
            Set<String> unknown = new HashSet<>();
            for (PheromoneDrop drop : drops) {
                drop.about().filter(id -> !mail.contains(id)).ifPresent(unknown::add);
            }
            // A drop may be younger than the mail that it is about: a failure makes one.
            if (!unknown.isEmpty()) {
                read(RseScope.ALL.ofTypes(Set.of(EMIT)).about(unknown), this::noteMail);
            }
            return this;
        }

        /// Takes in who acted on what is sensed.
        void readSelections(List<Pheromone> sensed) throws IOException {
            Set<String> topics = new HashSet<>();
            sensed.forEach(pheromone -> topics.add(pheromone.topic()));
            if (!topics.isEmpty()) {
                read(
                        RseScope.ALL.ofTypes(Set.of(SELECT)).about(topics),
                        event -> {
                            if (event instanceof QueenSelect select) {
                                actedOn(select);
                            }
                        });
            }
        }

        private void read(RseScope scope, Consumer<RseEvent> action) throws IOException {
            try (RseReading reading = log.read(Cursor.START, scope)) {
                for (Optional<RseEntry> next = reading.next();
                        next.isPresent();
                        next = reading.next()) {
                    if (next.get() instanceof RseEntry.Read read) {
                        action.accept(read.event());
                    }
                }
            }
        }

        private void noteMail(RseEvent event) {
            if (event instanceof RseEvent.RsmEnvelopeEmit) {
                event.about().ifPresent(mail::add);
            }
        }

        private void actedOn(QueenSelect select) {
            Optional<String> topic = select.data().optionalText("ref");
            if (topic.isPresent()
                    && select.data()
                            .optionalText("basis")
                            .filter("pheromone"::equals)
                            .isPresent()) {
                actedOn.merge(
                        new Place(select.lane(), topic.get()),
                        newestAt(select),
                        (one, other) -> one.isAfter(other) ? one : other);
            }
        }

        List<Pheromone> sensed(Predicate<PheromoneDrop> wanted) {
            Pheromones air = new Pheromones(now, halfLife, Scent.ANY);
            for (PheromoneDrop drop : drops) {
                boolean announcesMail = drop.about().filter(mail::contains).isPresent();
                if (!announcesMail && wanted.test(drop)) {
                    air.take(drop);
                }
            }
            return air.sensed();
        }

        boolean isActedOn(Pheromone pheromone) {
            Instant until = actedOn.get(new Place(pheromone.lane(), pheromone.topic()));
            // Times in the log are no finer than this.
            return until != null
                    && !until.isBefore(pheromone.newestAt().truncatedTo(ChronoUnit.MILLIS));
        }
    }

    /// The newest drop that a selection knew. Other writers don't tell: theirs knew what there was.
    private static Instant newestAt(QueenSelect select) {
        Optional<String> text = select.data().optionalText(NEWEST_AT);
        try {
            return text.isPresent() ? IsoTime.parse(text.get()) : select.ts();
        } catch (IllegalArgumentException e) {
            return select.ts();
        }
    }
}
