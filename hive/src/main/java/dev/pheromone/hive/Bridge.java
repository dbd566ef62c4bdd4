package dev.pheromone.hive;

import dev.pheromone.AwayException;
import dev.pheromone.Capability;
import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.NotLetInException;
import dev.pheromone.Outcome;
import dev.pheromone.Receipt;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.selection.Waiting;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/// Carries mail from one transport to another, one envelope a step: it is claimed here, sent there,
/// and then done here. Not a byte of it changes.
///
/// A bridge that dies in between has sent or not; the claim comes back, the mail is carried again,
/// and the other side knows it: one effect. What the other side did not have before the first try
/// is noted in the [Trail], and so a copy that it knows although nobody noted that has come round
/// in a circle: it is not ended here, because then it might be nowhere.
///
/// What may not cross stays where it was, for whoever else takes it: that is no failure of the
/// mail, so it is not counted, and it is tried again more and more seldom.
public final class Bridge {

    /// How long carrying one envelope may take.
    private static final Duration LEASE = Duration.ofSeconds(60);

    /// How long a side that can't take mail now is left alone.
    private static final Duration PAUSE = Duration.ofSeconds(5);

    /// How long mail that a broker has is not sent again: each time is one more in its queue.
    private static final Duration SILENT_PAUSE = Duration.ofSeconds(30);

    /// How long a side rests that would hand out refused mail again at once.
    private static final Duration REFUSED_REST = Duration.ofMinutes(1);

    /// How long at most we do as the other side says that refuses mail for now.
    private static final Duration REFUSED_MAX = Duration.ofMinutes(1);

    /// How soon is looked again where all that waits is left to others.
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

    private final Actor self;
    private final Trail trail;
    private final Border border;

    private final InstantSource clock;
    private final Map<Route, Refusals> refused = new ConcurrentHashMap<>();

    /// A bridge that acts as `self`, keeps its `trail`, and lets pass what `border` does.
    public Bridge(Actor self, Trail trail, Border border, InstantSource clock) {
        this.self = self;
        this.trail = trail;
        this.border = border;
        this.clock = clock;
    }

    /// One end of a bridge.
    ///
    /// @param name by which its user knows it, such as a folder of the machine
    /// @param told how the log calls it, which others read
    public record Side(String name, String told, Transport transport) {

        /// A side whose name anybody may know.
        public Side(String name, Transport transport) {
            this(name, name, transport);
        }
    }

    /// The way of an inbox's mail: from one side to the other, where it is at home.
    public record Route(Side from, Side to, Domain inbox) {}

    /// What is remembered of mail on its way, so that it survives a killed process.
    public interface Trail {

        /// Whether it is noted that a copy was about to be sent.
        boolean isBegun(Route route, EnvelopeId id) throws IOException;

        /// Notes that a copy is about to be sent; says whether that was noted before.
        boolean begin(Route route, EnvelopeId id) throws IOException;

        /// Forgets it: it has left its old place, or never went.
        void end(Route route, EnvelopeId id) throws IOException;
    }

    /// Who looks at mail before it crosses, beside its consent.
    public interface Border {

        /// Why it may not cross, in words; empty if it may.
        Optional<String> objection(Route route, Envelope envelope) throws IOException;
    }

    /// What one step came to.
    public sealed interface Step {

        /// It has arrived.
        record Carried(Route route, Envelope envelope) implements Step {}

        /// It may not cross, and stays where it was, uncounted.
        ///
        /// @param rest how long the route is to be left alone; zero if its side does not hand out
        ///   this envelope meanwhile
        record Stopped(Route route, Envelope envelope, String why, Duration rest) implements Step {}

        /// What was refused before and is not tried again yet is left to others.
        ///
        /// @param rest when to look again; zero if it was only in the way of something else
        record LeftAlone(Route route, Duration rest) implements Step {}

        /// It is back where it was: the other side takes nothing for a while.
        record HeldUp(Route route, String why, Duration pause) implements Step {}

        /// There was nothing to carry.
        record Nothing() implements Step {}
    }

    /// Carries the most urgent envelope of an inbox, if one is ready.
    public Step step(Route route) throws IOException {
        Refusals refusals = refusals(route);
        Selection selection;
        try {
            Inbox inbox = route.from().transport().inbox(route.inbox());
            if (refusals.areFew() && isAllLeftAlone(inbox, refusals)) {
                return new Step.LeftAlone(route, LOOK_AGAIN);
            }
            selection = inbox.select(self, Lease.attended(LEASE));
        } catch (NoSuchInboxException e) {
            return new Step.Nothing();
        }
        return switch (selection) {
            case Selection.Nothing _ -> new Step.Nothing();
            case Selection.Withheld(var lock, var reason) ->
                    new Step.HeldUp(
                            route,
                            route.from().name() + " is under lock " + lock.kind() + ": " + reason,
                            PAUSE);
            case Selection.Taken(var claim) ->
                    refusals.isLeftAlone(claim.envelope().id(), clock.instant()) && pauses(route)
                            ? putAside(route, claim, refusals, clock.instant())
                            : carry(route, claim);
        };
    }

    /// Whether something that is left alone is ready, and nothing else. What a lock hides is found
    /// out by taking.
    private boolean isAllLeftAlone(Inbox inbox, Refusals refusals) throws IOException {
        Instant now = clock.instant();
        Set<EnvelopeId> waiting = new HashSet<>();
        boolean isAnyLeft = false;
        boolean isAnyOther = false;
        try {
            for (Waiting item : inbox.waiting()) {
                if (item instanceof Waiting.Mail mail) {
                    waiting.add(mail.header().id());
                    boolean isReady = mail.urgency().isReady(now) && !mail.urgency().isExpired(now);
                    boolean isLeft = refusals.isLeftAlone(mail.header().id(), now);
                    isAnyLeft |= isReady && isLeft;
                    isAnyOther |= isReady && !isLeft;
                }
            }
        } catch (WithheldException e) {
            return false;
        }
        refusals.keepOnly(waiting);
        return isAnyLeft && !isAnyOther;
    }

    /// A selection takes what stands first. That is given back at once, for long enough that the
    /// next is another.
    private static Step putAside(Route route, Claim claim, Refusals refusals, Instant now)
            throws IOException {
        Duration pause = refusals.putAside(claim.envelope().id(), now);
        settle(route, claim, new Outcome.Released("left to others", pause));
        return new Step.LeftAlone(route, Duration.ZERO);
    }

    private Step carry(Route route, Claim claim) throws IOException {
        Envelope envelope = claim.envelope();
        Transport there = route.to().transport();
        if (!envelope.consent().allows(there.reach())) {
            return stop(
                    route,
                    claim,
                    Note.NONE,
                    to ->
                            "consent is %s, and %s reaches %s"
                                    .formatted(envelope.consent(), to, there.reach()));
        }
        Optional<String> objection = border.objection(route, envelope);
        if (objection.isPresent()) {
            return stop(route, claim, Note.NONE, _ -> objection.get());
        }
        Optional<State> before;
        try {
            before = there.stateOf(envelope.id(), route.inbox());
        } catch (WithheldException e) {
            return holdUp(route, claim, Note.NONE, to -> locked(to, e), PAUSE);
        } catch (IOException e) {
            settle(route, claim, new Outcome.Released(String.valueOf(e.getMessage()), PAUSE));
            throw e;
        }
        if (before.isPresent()
                && before.get() != State.WAITING
                && !trail.isBegun(route, envelope.id())) {
            // Nobody of us has brought it there, and nothing is noted that would say so later. What
            // waits there may be another of this id: that shows when this one is sent.
            return cameRound(route, claim, Note.NONE);
        }
        Note note = trail.begin(route, envelope.id()) ? Note.OLD : Note.NEW;
        Receipt receipt;
        try {
            receipt = there.send(envelope, route.inbox());
        } catch (NoSuchInboxException e) {
            return stop(route, claim, note, to -> to + " has no inbox " + e.address());
        } catch (WithheldException e) {
            return holdUp(route, claim, note, to -> locked(to, e), PAUSE);
        } catch (IOException e) {
            return failed(route, claim, note, e);
        }
        for (Receipt.Copy copy : receipt.copies()) {
            return judge(route, claim, note, copy.result());
        }
        return stop(route, claim, note, to -> to + " says nothing of it");
    }

    /// Throws what concerns other mail alike, with this one back in its place.
    private Step failed(Route route, Claim claim, Note note, IOException e) throws IOException {
        return switch (e) {
            case AwayException _, InterruptedIOException _ -> {
                // It may have arrived: the trail stays, unless nobody was there to hear of it.
                if (e.getCause() instanceof ConnectException) {
                    forget(route, claim, note);
                }
                settle(route, claim, new Outcome.Released(String.valueOf(e.getMessage()), PAUSE));
                throw e;
            }
            case NotLetInException _ -> {
                forget(route, claim, note);
                settle(route, claim, new Outcome.Released(String.valueOf(e.getMessage()), PAUSE));
                throw e;
            }
            // Somebody is there and does not take this one; others may pass. What became of it is
            // not known.
            default -> stop(route, claim, Note.OLD, to -> to + ": " + e.getMessage());
        };
    }

    private static String locked(String side, WithheldException e) {
        return side + " is under lock " + e.verdict().lock().kind() + ": " + e.verdict().reason();
    }

    /// What the trail says of an envelope.
    private enum Note {
        /// Nothing.
        NONE,
        /// This step noted it: where nothing came of it, that is forgotten again.
        NEW,
        /// An earlier one did, and what it brought across may still be found there.
        OLD
    }

    private void forget(Route route, Claim claim, Note note) throws IOException {
        if (note == Note.NEW) {
            trail.end(route, claim.envelope().id());
        }
    }

    /// The other side has had it before.
    private Step known(Route route, Claim claim, Note note) throws IOException {
        return note == Note.OLD || isAlive(route, claim.envelope().id())
                ? arrived(route, claim)
                : cameRound(route, claim, note);
    }

    private Step cameRound(Route route, Claim claim, Note note) throws IOException {
        return stop(
                route,
                claim,
                note,
                to -> to + " has had it before: it came round, or was sent there too");
    }

    private Step judge(Route route, Claim claim, Note note, SendResult result) throws IOException {
        return switch (result) {
            case SendResult.Delivered _,
                    SendResult.Unconfirmed _,
                    SendResult.Parked _,
                    SendResult.Spooled _ ->
                    arrived(route, claim);
            case SendResult.Duplicate _ -> known(route, claim, note);
            case SendResult.Withheld(var lock, var reason, var embargo) ->
                    embargo.isEmpty()
                            ? holdUp(
                                    route,
                                    claim,
                                    note,
                                    to -> to + " is under lock " + lock.kind() + ": " + reason,
                                    PAUSE)
                            : arrived(route, claim);
            case SendResult.Refused(var retryAfter, var reason) ->
                    holdUp(
                            route,
                            claim,
                            note,
                            to -> to + " refuses it for now: " + reason,
                            retryAfter.compareTo(REFUSED_MAX) > 0 ? REFUSED_MAX : retryAfter);
            // What a broker has may still arrive: then the trail tells that it was ours.
            case SendResult.Unanswered(var at, var reason) ->
                    holdUp(
                            route,
                            claim,
                            at == SendResult.Place.BROKER ? Note.OLD : note,
                            to -> to + ": " + reason,
                            at == SendResult.Place.BROKER ? SILENT_PAUSE : PAUSE);
            case SendResult.Conflict(var _, var reason) ->
                    stop(route, claim, note, to -> to + ": " + reason);
            case SendResult.Rejected(var _, var reason) ->
                    stop(route, claim, note, to -> to + ": " + reason);
            case SendResult.NotPublic(var _, var reason) -> stop(route, claim, note, _ -> reason);
            case SendResult.BeyondConsent(var consent, var reach) ->
                    stop(
                            route,
                            claim,
                            note,
                            to -> "consent is %s, and %s reaches %s".formatted(consent, to, reach));
            case SendResult.Failed(var cause) -> failed(route, claim, note, cause);
        };
    }

    /// Whether it waits on the other side: then it is not lost, whichever way it came. What is at
    /// work there may be our own claim, where both sides lead to one hive.
    private static boolean isAlive(Route route, EnvelopeId id) throws IOException {
        return route.to()
                .transport()
                .stateOf(id, route.inbox())
                .filter(state -> state == State.WAITING)
                .isPresent();
    }

    private Step arrived(Route route, Claim claim) throws IOException {
        Settlement settlement =
                settle(route, claim, new Outcome.Done("carried to " + route.to().told()));
        if (settlement instanceof Settlement.Settled) {
            trail.end(route, claim.envelope().id());
        }
        refusals(route).forget(claim.envelope().id());
        // What is not settled comes back, is carried again, and is known there.
        return new Step.Carried(route, claim.envelope());
    }

    /// @param reason why not, for a name of the other side
    private Step stop(Route route, Claim claim, Note note, UnaryOperator<String> reason)
            throws IOException {
        Duration pause = refusals(route).add(claim.envelope().id(), clock.instant());
        forget(route, claim, note);
        settle(
                route,
                claim,
                new Outcome.Released("not carried: " + reason.apply(route.to().told()), pause));
        // Without a pause it would be the next that is taken: others wait behind it, but not long.
        return new Step.Stopped(
                route,
                claim.envelope(),
                reason.apply(route.to().name()),
                pauses(route) ? Duration.ZERO : REFUSED_REST);
    }

    private Refusals refusals(Route route) {
        return refused.computeIfAbsent(route, _ -> new Refusals());
    }

    private static boolean pauses(Route route) {
        return route.from().transport().capabilities().contains(Capability.PAUSES_RELEASED);
    }

    /// @param reason why not now, for a name of the other side
    private Step holdUp(
            Route route, Claim claim, Note note, UnaryOperator<String> reason, Duration pause)
            throws IOException {
        forget(route, claim, note);
        settle(route, claim, new Outcome.Released(reason.apply(route.to().told()), pause));
        return new Step.HeldUp(
                route, reason.apply(route.to().name()), pause.compareTo(PAUSE) > 0 ? pause : PAUSE);
    }

    private static Settlement settle(Route route, Claim claim, Outcome outcome) throws IOException {
        try {
            return route.from().transport().inbox(claim.inbox()).settle(claim.token(), outcome);
        } catch (NoSuchInboxException e) {
            return new Settlement.Lost(String.valueOf(e.getMessage()));
        }
    }
}
