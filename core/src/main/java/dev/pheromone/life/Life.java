package dev.pheromone.life;

import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.life.Resend.Likeness;
import dev.pheromone.life.Step.Closing;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;

/// Where one copy of an envelope is in its life, and what may happen to the copy next.
///
/// A life is a value: each step makes the next one, and whoever stores lives makes sure that of
/// several who take a step from the same life one wins.
///
/// @param mail which mail it is: the envelope's fingerprint, or its hash where only that is known
/// @param firstSeen when the copy was first met in its inbox
/// @param failures attempts that came to nothing
/// @param notBefore the end of a pause, if there is one
/// @param holder who has the claim, or had the last one; null if nobody ever had one
/// @param why why the life is over; null if it is not
/// @param note what was last said of it: by a holder who gave it back, or why it is over
public record Life(
        ContentHash mail,
        State state,
        Instant firstSeen,
        int failures,
        @Nullable Instant notBefore,
        @Nullable Holder holder,
        @Nullable Why why,
        String note) {

    /// A claim.
    ///
    /// @param claim its name, as its holder was told
    /// @param closing how it ended; null while it is in force
    public record Holder(
            String claim,
            Actor worker,
            Duration lease,
            Instant leaseEndsAt,
            @Nullable Closing closing) {

        /// The claim of that name, just made.
        public static Holder of(ClaimToken claim, Duration lease) {
            return new Holder(
                    claim.toString(), claim.worker(), lease, claim.claimedAt().plus(lease), null);
        }

        private Holder until(Instant end) {
            return new Holder(claim, worker, lease, end, closing);
        }

        private Holder closed(Closing how) {
            return new Holder(claim, worker, lease, leaseEndsAt, how);
        }
    }

    public Life {
        if (state.isFinal() != (why != null) || (why != null && why.state() != state)) {
            throw new IllegalArgumentException(
                    "life: found state " + state + " and reason " + why + ", expected a fit");
        }
        if (state == State.ACTIVE && (holder == null || holder.closing() != null)) {
            throw new IllegalArgumentException(
                    "life: found state active and no claim in force, expected one");
        }
    }

    /// The life of a copy that has just come.
    public static Life begun(ContentHash mail, Instant firstSeen) {
        return new Life(mail, State.WAITING, firstSeen, 0, null, null, null, "");
    }

    /// The life of a copy that is claimed, as its claim tells.
    public static Life held(ClaimToken claim, ContentHash mail, Instant firstSeen) {
        return new Life(
                mail,
                State.ACTIVE,
                firstSeen,
                claim.attempt() - 1,
                null,
                Holder.of(claim, claim.lease()),
                null,
                "");
    }

    /// A life of which only its end is known.
    public static Life over(ContentHash mail, Why why) {
        return new Life(mail, why.state(), Instant.EPOCH, 0, null, null, why, "");
    }

    /// The number of the attempt that goes on or comes next, from 1.
    public int attempt() {
        return failures + 1;
    }

    /// What becomes of mail that is sent under this copy's id.
    public Resend sentAgain(Likeness likeness, EnvelopeId id) {
        if (why != null && !why.isForGood()) {
            return new Resend.Anew();
        }
        if (likeness == Likeness.SAME) {
            return new Resend.Duplicate();
        }
        return new Resend.Conflict((why == null ? Why.ID_TAKEN : Why.ID_FINISHED).text(id));
    }

    /// Why another copy, which was claimed while this one is there, comes to nothing; null if it
    /// may be worked on.
    public @Nullable Why rules(Likeness likeness) {
        boolean isSame = likeness == Likeness.SAME;
        return switch (state) {
            case WAITING -> isSame ? Why.SAME_WAITS : Why.OTHER_WAITS;
            case ACTIVE -> isSame ? Why.SAME_AT_WORK : Why.OTHER_AT_WORK;
            case DONE, DEAD, EXPIRED, DUPLICATE, CONFLICT -> {
                if (why == null || !why.isForGood()) {
                    yield null;
                }
                yield isSame ? Why.SAME_FINISHED : Why.OTHER_FINISHED;
            }
        };
    }

    /// What a reader finds at `now`.
    public Look look(Term term, Instant now, LifeLimits limits) {
        if (state.isFinal()) {
            return new Look.Over();
        }
        if (state == State.ACTIVE && holder != null) {
            return now.isBefore(holder.leaseEndsAt())
                    ? new Look.Held(holder.leaseEndsAt())
                    : new Look.Due(closed(Closing.LEASE, "", Duration.ZERO, term, now, limits));
        }
        Ttl ttl = term.ttl();
        if (ttl != null && term.isOver(firstSeen, now)) {
            return new Look.Due(ended(Why.EXPIRED, Why.EXPIRED.text(ttl)));
        }
        return notBefore != null && now.isBefore(notBefore)
                ? new Look.Held(notBefore)
                : new Look.Ready();
    }

    /// Somebody takes the copy, which waits. Whoever names a copy may take it during its pause.
    public Step.Claimed claimed(ClaimToken claim, Lease lease) {
        requireState(State.WAITING, "be claimed");
        return new Step.Claimed(
                new Life(
                        mail,
                        State.ACTIVE,
                        firstSeen,
                        failures,
                        null,
                        Holder.of(claim, lease.duration()),
                        null,
                        ""),
                claim,
                holder == null);
    }

    /// The lease of `claim` begins anew.
    public Answer renewed(String claim, Instant now) {
        return isHeldBy(claim) && holder != null
                ? new Answer.Taken(new Step.Renewed(with(holder.until(now.plus(holder.lease())))))
                : lost(claim);
    }

    /// As [#renewed], by a holder who says that the work is taken on.
    public Answer accepted(String claim, String said, Instant now) {
        return renewed(claim, now) instanceof Answer.Taken(var step)
                ? new Answer.Taken(new Step.Accepted(step.life(), attempt(), said))
                : lost(claim);
    }

    /// The holder of `claim` ends it. A holder whose lease is over may, as long as nobody has
    /// noticed.
    public Answer settled(
            String claim, Outcome outcome, Term term, Instant now, LifeLimits limits) {
        Closing closing = closingOf(outcome);
        if (isHeldBy(claim)) {
            Duration pause =
                    outcome instanceof Outcome.Released released ? released.pause() : Duration.ZERO;
            return new Answer.Taken(closed(closing, outcome.note(), pause, term, now, limits));
        }
        return holder != null && holder.claim().equals(claim) && holder.closing() == closing
                ? new Answer.ToldBefore(state)
                : lost(claim);
    }

    private static Closing closingOf(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Done _ -> Closing.DONE;
            case Outcome.Failed _ -> Closing.FAILED;
            case Outcome.Released _ -> Closing.RELEASED;
        };
    }

    /// The claim in force ends. What failed for the last time is dead, what comes back after its
    /// time is expired, and all else waits.
    ///
    /// @param released how long nobody is to take a copy that was released
    public Step.Closed closed(
            Closing closing,
            String said,
            Duration released,
            Term term,
            Instant now,
            LifeLimits limits) {
        requireState(State.ACTIVE, "end");
        int attempt = attempt();
        int failed = closing.isFailure() ? attempt : failures;
        Duration pause = closing.isFailure() ? limits.pauseAfter(attempt) : released;
        if (closing == Closing.DONE) {
            return over(closing, failed, Why.DONE, said);
        }
        if (closing.isFailure() && limits.isLast(attempt)) {
            String why =
                    Why.ATTEMPTS.text(
                            attempt, limits.attemptsMax(), said.isEmpty() ? "" : ": " + said);
            return over(closing, failed, Why.ATTEMPTS, why);
        }
        if (term.isOver(firstSeen, now)) {
            return over(closing, failed, Why.EXPIRED, said);
        }
        return new Step.Closed(
                new Life(
                        mail,
                        State.WAITING,
                        firstSeen,
                        failed,
                        pause.isZero() ? null : now.plus(pause),
                        closedHolder(closing),
                        null,
                        said),
                attempt,
                closing,
                pause);
    }

    private Step.Closed over(Closing closing, int failed, Why end, String said) {
        return new Step.Closed(
                new Life(
                        mail,
                        end.state(),
                        firstSeen,
                        failed,
                        null,
                        closedHolder(closing),
                        end,
                        said),
                attempt(),
                closing,
                Duration.ZERO);
    }

    private @Nullable Holder closedHolder(Closing closing) {
        return holder == null ? null : holder.closed(closing);
    }

    /// The copy ends without work, because it is not what an inbox accepts.
    public Step.Ended refused(Acceptance.Objection objection) {
        return ended(objection.why(), objection.text());
    }

    /// The copy ends without work: refused, repeated, or too late.
    public Step.Ended ended(Why end, String text) {
        return new Step.Ended(
                new Life(mail, end.state(), firstSeen, failures, null, holder, end, text));
    }

    private boolean isHeldBy(String claim) {
        return state == State.ACTIVE && holder != null && holder.claim().equals(claim);
    }

    /// The answer to whoever shows a claim that has ended, or that there never was.
    public static Answer.Lost lost(String claim) {
        return new Answer.Lost(Why.NOT_IN_FORCE.text(claim));
    }

    private Life with(Holder next) {
        return new Life(mail, state, firstSeen, failures, notBefore, next, why, note);
    }

    private void requireState(State expected, String what) {
        if (state != expected) {
            throw new IllegalStateException(
                    "life: found state " + state + ", expected " + expected + " to " + what);
        }
    }
}
