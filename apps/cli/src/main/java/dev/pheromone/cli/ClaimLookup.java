package dev.pheromone.cli;

import dev.pheromone.Domain;
import dev.pheromone.EnvelopeId;
import dev.pheromone.Inbox;
import dev.pheromone.file.Catalog;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// Finds the claim that was typed: by its name, or by the id of an envelope that the caller plainly
/// holds.
final class ClaimLookup {

    /// A claim and the inbox that it is of.
    record Found(String token, EnvelopeId id, Inbox inbox) {}

    private final Invocation call;
    private final OpenHive hive;

    ClaimLookup(Invocation call, OpenHive hive) {
        this.call = call;
        this.hive = hive;
    }

    Found find(String typed) throws IOException {
        List<Catalog.Item> copies = new Lookup(hive).copies(typed);
        EnvelopeId id = copies.getFirst().id();
        if (id == null) {
            throw new CliException(ErrorCode.NO_SUCH_ID, "no envelope " + typed + " in this hive");
        }
        return typed.indexOf('.') >= 0 ? named(typed, id, copies) : held(id, copies);
    }

    /// The claim of this very name. Whether it still holds is for the inbox to say.
    private Found named(String token, EnvelopeId id, List<Catalog.Item> copies) throws IOException {
        for (Catalog.Item item : copies) {
            if (item.claim() != null && item.claim().token().equals(token)) {
                return new Found(token, id, inbox(item.inbox()));
            }
        }
        for (Catalog.Item item : copies) {
            boolean isOfHere =
                    hive.catalog().history(item.inbox(), id).stream()
                            .anyMatch(step ->
                                    step.optionalText("claim").filter(token::equals).isPresent());
            if (isOfHere) {
                return new Found(token, id, inbox(item.inbox()));
            }
        }
        throw new CliException(ErrorCode.CLAIM_LOST, "no claim " + token + " in this hive");
    }

    /// The one live claim of the envelope that the caller has, if it is a first attempt: later ones
    /// must be named, because the caller may be the one who lost an earlier attempt.
    private Found held(EnvelopeId id, List<Catalog.Item> copies) throws IOException {
        List<Found> own = new ArrayList<>();
        int attempt = 0;
        String elsewhere = "it is " + copies.getFirst().state();
        for (Catalog.Item item : copies) {
            Catalog.Held claim = item.claim();
            if (claim != null && claim.worker().equals(call.actor())) {
                own.add(new Found(claim.token(), id, inbox(item.inbox())));
                attempt = claim.attempt();
            } else if (claim != null) {
                elsewhere = claim.worker() + " has it";
            }
        }
        if (own.isEmpty()) {
            throw new CliException(
                    ErrorCode.CLAIM_LOST,
                    call.actor() + " holds no claim of " + id.shortForm() + ": " + elsewhere);
        }
        if (own.size() == 1 && attempt == 1) {
            return own.getFirst();
        }
        String reason =
                own.size() == 1
                        ? " was tried before, expected the claim's name instead of the id"
                        : " is held in " + own.size() + " inboxes, expected a claim's name";
        throw new CliException(ErrorCode.CLAIM_LOST, id.shortForm() + reason)
                .hint("if this claim is yours:")
                .fix(
                        call.line()
                                .replacing(
                                        String.valueOf(call.args().operand(0)),
                                        own.getFirst().token())
                                .toString());
    }

    private Inbox inbox(Domain domain) throws IOException {
        return hive.inbox(domain.address());
    }
}
