package dev.pheromone.file.inbox;

import dev.pheromone.Outcome;
import dev.pheromone.Settlement;
import dev.pheromone.Settlement.Confirmation;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.file.copy.ClaimName;
import dev.pheromone.file.copy.ClaimedFiles;
import dev.pheromone.file.copy.Copies;
import dev.pheromone.file.copy.History;
import dev.pheromone.file.copy.ReturnName;
import dev.pheromone.file.embargo.KeptOutcomes;
import dev.pheromone.file.embargo.OtherOutcomeException;
import dev.pheromone.file.log.GuardReports;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.life.ClaimToken;
import dev.pheromone.life.Life;
import dev.pheromone.rse.RseEvent.PolicyGuard.Mode;
import dev.pheromone.rse.RseEvent.RsmEnvelopeReturn.Reason;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/// How claims are renewed and ended.
public final class Settling {

    /// In whose name a claim is ended.
    enum Settler {
        /// Of whoever opened the hive, whoever holds the claim.
        SELF,
        /// Of whoever holds the claim, for whom the hive was opened.
        HOLDER
    }

    private final Disk files;
    private final HiveLayout layout;
    private final Copies copies;
    private final GuardReports reports;
    private final InstantSource clock;
    private final Settler settler;

    /// Claims are ended in the name of whoever opened the hive.
    public Settling(
            Disk files,
            HiveLayout layout,
            Copies copies,
            GuardReports reports,
            InstantSource clock) {
        this(files, layout, copies, reports, clock, Settler.SELF);
    }

    private Settling(
            Disk files,
            HiveLayout layout,
            Copies copies,
            GuardReports reports,
            InstantSource clock,
            Settler settler) {
        this.files = files;
        this.layout = layout;
        this.copies = copies;
        this.reports = reports;
        this.clock = clock;
        this.settler = settler;
    }

    /// The same, in the name of `actor`.
    Settling as(Actor actor) {
        return new Settling(files, layout, copies.as(actor), reports.as(actor), clock, settler);
    }

    /// The same, each claim in the name of whoever holds it.
    Settling asHolders() {
        return new Settling(files, layout, copies, reports, clock, Settler.HOLDER);
    }

    private Copies acting(ClaimName claim) {
        return settler == Settler.HOLDER ? copies.as(claim.worker()) : copies;
    }

    Settlement renew(Domain domain, String token) throws IOException {
        try (Disk.Operation _ = files.begin()) {
            ClaimName claim = parse(token);
            Instant now = clock.instant();
            copies.claims().requireInForce(domain, claim);
            files.touch(copies.claims().path(domain, claim), now);
            return new Settlement.Renewed(now.plus(claim.lease()));
        } catch (NoSuchFileException e) {
            return lost(token);
        } catch (WithheldException e) {
            // A lease does not end under a lock, so that there is nothing to renew.
            report(e, Mode.BLOCKED);
            return new Settlement.Withheld(e.verdict().lock(), e.verdict().reason(), "");
        }
    }

    Settlement accept(Domain domain, String token, String note) throws IOException {
        Settlement renewed = renew(domain, token);
        if (!(renewed instanceof Settlement.Renewed)) {
            return renewed;
        }
        ClaimName claim = parse(token);
        Instant now = clock.instant();
        try (Disk.Operation _ = files.begin()) {
            Copies acting = acting(claim);
            acting.journal()
                    .took(domain, claim, acting.claims().accepted(domain, claim, note, now), now);
        } catch (NoSuchFileException | WithheldException e) {
            // The lease is renewed; that somebody ended the claim meanwhile, or locked the hive, is
            // told elsewhere.
        }
        return renewed;
    }

    Settlement settle(Domain domain, String token, Outcome outcome) throws IOException {
        try (Disk.Operation _ = files.begin()) {
            files.require(layout.log(), Access.WRITE);
            return settle(domain, parse(token), outcome, clock.instant());
        } catch (NoSuchFileException e) {
            Optional<State> told = toldBefore(domain, parse(token), outcome);
            return told.isPresent()
                    ? new Settlement.Settled(told.get(), Confirmation.ON_DISK)
                    : lost(token);
        } catch (WithheldException e) {
            return withheld(domain, token, outcome, e);
        }
    }

    /// Keeps the outcome until the lock is gone.
    private Settlement withheld(Domain domain, String token, Outcome outcome, WithheldException e)
            throws IOException {
        String kept;
        try {
            kept =
                    new KeptOutcomes(files, layout)
                            .keep(
                                    domain,
                                    token,
                                    outcome,
                                    acting(parse(token)).self(),
                                    clock.instant());
        } catch (OtherOutcomeException other) {
            return new Settlement.Lost(String.valueOf(other.getMessage()));
        } catch (WithheldException mirrorLocked) {
            kept = "";
        }
        report(e, kept.isEmpty() ? Mode.BLOCKED : Mode.ADVISORY);
        return new Settlement.Withheld(e.verdict().lock(), e.verdict().reason(), kept);
    }

    private void report(WithheldException e, Mode mode) {
        reports.withheld(e, mode, clock.instant());
    }

    private Settlement settle(Domain domain, ClaimName claim, Outcome outcome, Instant now)
            throws IOException {
        Copies acting = acting(claim);
        ClaimedFiles.Result result =
                switch (outcome) {
                    case Outcome.Done(var note) -> acting.claims().finish(domain, claim, note, now);
                    case Outcome.Failed(var note) ->
                            acting.claims().giveBack(domain, claim, Reason.FAILED, note, now);
                    case Outcome.Released released ->
                            acting.claims().release(domain, claim, released, now);
                };
        acting.journal().took(domain, claim, result, now);
        return new Settlement.Settled(result.state(), result.confirmation());
    }

    /// The claim that a holder shows, be it by its file's name; fails on any other text.
    private static ClaimName parse(String token) {
        return ClaimName.parse(token).orElseGet(() -> new ClaimName(ClaimToken.parse(token)));
    }

    private static Settlement lost(String token) {
        return new Settlement.Lost(Life.lost(token).reason());
    }

    /// The state to which this very outcome has brought the claim already, if whoever tells it has
    /// told it before and only did not hear the answer; empty if the claim ended otherwise.
    private Optional<State> toldBefore(Domain domain, ClaimName claim, Outcome outcome)
            throws IOException {
        return switch (outcome) {
            case Outcome.Done _ ->
                    historyOf(domain, claim).isDoneBy(claim.token())
                                    && copies.seen().confirm(domain, claim.id())
                            ? Optional.of(State.DONE)
                            : Optional.empty();
            case Outcome.Failed _ -> returnedBefore(domain, claim, Reason.FAILED);
            case Outcome.Released _ -> returnedBefore(domain, claim, Reason.RELEASED);
        };
    }

    private Optional<State> returnedBefore(Domain domain, ClaimName claim, Reason reason)
            throws IOException {
        // Looked for first: what is told of a return is told before it is over.
        if (files.exists(
                layout.returning(domain).resolve(new ReturnName(claim, reason).fileName()))) {
            return Optional.of(State.WAITING);
        }
        Optional<Json.Obj> last = historyOf(domain, claim).lastOf(claim.token());
        return last.flatMap(History::reasonOf)
                .filter(reason::equals)
                .map(_ -> State.WAITING)
                .or(() -> last.filter(step -> isOurs(claim, step)).flatMap(History::stateOf))
                .filter(state ->
                        state == State.WAITING
                                || state == State.EXPIRED
                                || (state == State.DEAD && reason == Reason.FAILED));
    }

    /// Whoever finds that a lease is over may end a claim for good too, in their own name.
    private boolean isOurs(ClaimName claim, Json.Obj step) {
        return History.actorOf(step).equals(Optional.of(acting(claim).self()));
    }

    private History.Facts historyOf(Domain domain, ClaimName claim) throws IOException {
        return copies.history().read(domain, claim.id().text());
    }
}
