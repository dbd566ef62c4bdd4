package dev.pheromone.session.hive;

import dev.pheromone.Claim;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.upkeep.Catalog;
import dev.pheromone.text.Json;

import java.io.IOException;

/// The short names of claims: the shortest that no earlier claim of the same holder has, so that
/// whoever had that one can't finish this one.
public final class ClaimNames {

    /// What the holder of a claim had of the same copy before.
    public enum Before {
        NOTHING,
        OTHER_ATTEMPTS,
        /// The holder gave the copy back, which does not count as an attempt.
        THIS_ATTEMPT
    }

    private final OpenHive hive;

    public ClaimNames(OpenHive hive) {
        this.hive = hive;
    }

    public String of(Claim claim) throws IOException {
        return of(
                claim.inbox(),
                claim.envelope().id(),
                claim.worker(),
                claim.attempt(),
                claim.token());
    }

    public String of(Domain inbox, EnvelopeId id, Catalog.Held claim) throws IOException {
        return of(inbox, id, claim.worker(), claim.attempt(), claim.token());
    }

    private String of(Domain inbox, EnvelopeId id, Actor holder, int attempt, String token)
            throws IOException {
        return name(id, attempt, token, before(inbox, id, holder, attempt, token));
    }

    public static String name(EnvelopeId id, int attempt, String token, Before before) {
        return before == Before.THIS_ATTEMPT
                ? ShortClaim.exact(id, attempt, token)
                : ShortClaim.of(id, attempt);
    }

    /// What the holder of a claim had of the same copy before.
    public Before before(Domain inbox, EnvelopeId id, Actor holder, int attempt, String token)
            throws IOException {
        return hive.mail().before(inbox, id, holder, attempt, token);
    }

    Before beforeHere(Domain inbox, EnvelopeId id, Actor holder, int attempt, String token)
            throws IOException {
        Before before = Before.NOTHING;
        for (Json.Obj step : hive.catalog().history(inbox, id)) {
            String earlier = step.optionalText("claim").orElse("");
            if (step.optionalText("what").orElse("").equals("claim")
                    && step.optionalText("by").orElse("").equals(holder.name())
                    && !earlier.equals(token)) {
                if (earlier.startsWith(id + "." + attempt + ".")) {
                    return Before.THIS_ATTEMPT;
                }
                before = Before.OTHER_ATTEMPTS;
            }
        }
        return before;
    }
}
