package dev.pheromone.file;

import dev.pheromone.Domain;
import dev.pheromone.Outcome;
import dev.pheromone.Settlement;
import dev.pheromone.Settlement.Confirmation;
import dev.pheromone.State;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.rse.RseEvent.PolicyGuard.Mode;
import dev.pheromone.rse.RseEvent.RsmEnvelopeReturn.Reason;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;

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

    Settlement settle(String token, Outcome outcome) throws IOException {
        try (Disk.Operation _ = hive.files().begin()) {
            hive.requireLog();
            return settle(parse(token), outcome, hive.now());
        } catch (NoSuchFileException e) {
            return outcome instanceof Outcome.Done && isDone(token)
                    ? new Settlement.Settled(State.DONE, Confirmation.ON_DISK)
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
        State state;
        Confirmation confirmation = Confirmation.ON_DISK;
        if (outcome instanceof Outcome.Done(var note)) {
            ClaimedFiles.Finish finish =
                    acting.claims().finish(domain, claim, State.DONE, note, now);
            acting.journal().finished(domain, claim, finish, now);
            state = finish.state();
            confirmation = finish.confirmation();
        } else {
            ClaimedFiles.Return result =
                    outcome instanceof Outcome.Released released
                            ? acting.claims().release(domain, claim, released, now)
                            : acting.claims()
                                    .giveBack(domain, claim, Reason.FAILED, outcome.note(), now);
            acting.journal().returned(domain, claim, result, now);
            state = result.state();
        }
        return new Settlement.Settled(state, confirmation);
    }

    private static ClaimName parse(String token) {
        return ClaimName.parse(token)
                .orElseThrow(() ->
                        new IllegalArgumentException(
                                "claim: found \""
                                        + token
                                        + "\", expected id.attempt.worker.claimed.lease.tag as"
                                        + " select gave it"));
    }

    private static Settlement lost(String token) {
        return new Settlement.Lost("claim " + token + " is not in force any more");
    }

    /// Whether the holder of this claim has ended it as done, and only asks once more.
    private boolean isDone(String token) throws IOException {
        ClaimName claim = parse(token);
        return hive.history()
                        .read(domain, claim.id().text())
                        .lastOf(token)
                        .flatMap(History::stateOf)
                        .filter(State.DONE::equals)
                        .isPresent()
                && hive.seen().contains(domain, claim.id());
    }
}
