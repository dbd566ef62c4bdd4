package dev.pheromone.file;

import dev.pheromone.Outcome;
import dev.pheromone.Settlement;
import dev.pheromone.Settlement.Confirmation;
import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.file.copy.ClaimName;
import dev.pheromone.file.copy.ClaimedFiles;
import dev.pheromone.file.copy.History;
import dev.pheromone.file.copy.ReturnName;
import dev.pheromone.file.embargo.KeptOutcomes;
import dev.pheromone.file.embargo.OtherOutcomeException;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.life.ClaimToken;
import dev.pheromone.life.Life;
import dev.pheromone.rse.RseEvent.PolicyGuard.Mode;
import dev.pheromone.rse.RseEvent.RsmEnvelopeReturn.Reason;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.Optional;

/// How claims in one inbox are renewed and ended.
final class Settling {

    /// In whose name a claim is ended.
    enum Settler {
        /// Of whoever opened the hive, whoever holds the claim.
        SELF,
        /// Of whoever holds the claim, for whom the hive was opened.
        HOLDER
    }

    private final FileHive hive;
    private final Domain domain;
    private final Settler settler;

    Settling(FileHive hive, Domain domain) {
        this(hive, domain, Settler.SELF);
    }

    Settling(FileHive hive, Domain domain, Settler settler) {
        this.hive = hive;
        this.domain = domain;
        this.settler = settler;
    }

    private FileHive acting(ClaimName claim) {
        return settler == Settler.HOLDER ? hive.as(claim.worker()) : hive;
    }

    Settlement renew(String token) throws IOException {
        try (Disk.Operation _ = hive.files().begin()) {
            ClaimName claim = parse(token);
            Instant now = hive.now();
            hive.claims().requireInForce(domain, claim);
            hive.files().touch(hive.claims().path(domain, claim), now);
            return new Settlement.Renewed(now.plus(claim.lease()));
        } catch (NoSuchFileException e) {
            return lost(token);
        } catch (WithheldException e) {
            // A lease does not end under a lock, so that there is nothing to renew.
            report(e, Mode.BLOCKED);
            return new Settlement.Withheld(e.verdict().lock(), e.verdict().reason(), "");
        }
    }

    Settlement accept(String token, String note) throws IOException {
        Settlement renewed = renew(token);
        if (!(renewed instanceof Settlement.Renewed)) {
            return renewed;
        }
        ClaimName claim = parse(token);
        Instant now = hive.now();
        try (Disk.Operation _ = hive.files().begin()) {
            FileHive acting = acting(claim);
            acting.journal()
                    .took(domain, claim, acting.claims().accepted(domain, claim, note, now), now);
        } catch (NoSuchFileException | WithheldException e) {
            // The lease is renewed; that somebody ended the claim meanwhile, or locked the hive, is
            // told elsewhere.
        }
        return renewed;
    }

    Settlement settle(String token, Outcome outcome) throws IOException {
        try (Disk.Operation _ = hive.files().begin()) {
            hive.requireLog();
            return settle(parse(token), outcome, hive.now());
        } catch (NoSuchFileException e) {
            Optional<State> told = toldBefore(parse(token), outcome);
            return told.isPresent()
                    ? new Settlement.Settled(told.get(), Confirmation.ON_DISK)
                    : lost(token);
        } catch (WithheldException e) {
            return withheld(token, outcome, e);
        }
    }

    /// Keeps the outcome until the lock is gone.
    private Settlement withheld(String token, Outcome outcome, WithheldException e)
            throws IOException {
        String kept;
        try {
            kept =
                    new KeptOutcomes(hive.files(), hive.layout())
                            .keep(domain, token, outcome, acting(parse(token)).self(), hive.now());
        } catch (OtherOutcomeException other) {
            return new Settlement.Lost(String.valueOf(other.getMessage()));
        } catch (WithheldException mirrorLocked) {
            kept = "";
        }
        report(e, kept.isEmpty() ? Mode.BLOCKED : Mode.ADVISORY);
        return new Settlement.Withheld(e.verdict().lock(), e.verdict().reason(), kept);
    }

    private void report(WithheldException e, Mode mode) {
        hive.reports().withheld(e, mode, hive.now());
    }

    private Settlement settle(ClaimName claim, Outcome outcome, Instant now) throws IOException {
        FileHive acting = acting(claim);
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
    private Optional<State> toldBefore(ClaimName claim, Outcome outcome) throws IOException {
        return switch (outcome) {
            case Outcome.Done _ ->
                    hive.seen().contains(domain, claim.id())
                                    && historyOf(claim).isDoneBy(claim.token())
                            ? Optional.of(State.DONE)
                            : Optional.empty();
            case Outcome.Failed _ -> returnedBefore(claim, Reason.FAILED);
            case Outcome.Released _ -> returnedBefore(claim, Reason.RELEASED);
        };
    }

    private Optional<State> returnedBefore(ClaimName claim, Reason reason) throws IOException {
        // Looked for first: what is told of a return is told before it is over.
        if (hive.files()
                .exists(
                        hive.layout()
                                .returning(domain)
                                .resolve(new ReturnName(claim, reason).fileName()))) {
            return Optional.of(State.WAITING);
        }
        Optional<Json.Obj> last = lastOf(claim);
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

    private Optional<Json.Obj> lastOf(ClaimName claim) throws IOException {
        return historyOf(claim).lastOf(claim.token());
    }

    private History.Facts historyOf(ClaimName claim) throws IOException {
        return hive.history().read(domain, claim.id().text());
    }
}
