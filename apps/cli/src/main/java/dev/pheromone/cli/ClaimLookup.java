package dev.pheromone.cli;

import dev.pheromone.Domain;
import dev.pheromone.EnvelopeId;
import dev.pheromone.Inbox;
import dev.pheromone.file.Catalog;
import dev.pheromone.file.HeldClaims;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

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
        if (hive.via() != null) {
            return findElsewhere(typed, hive.via());
        }
        List<Catalog.Item> copies;
        try {
            copies = new Lookup(hive).copies(typed);
        } catch (CliException e) {
            throw e.code() == ErrorCode.NO_SUCH_ID ? withWay(typed, e) : e;
        }
        EnvelopeId id = copies.getFirst().id();
        if (id == null) {
            throw new CliException(ErrorCode.NO_SUCH_ID, "no envelope " + typed + " in this hive");
        }
        return typed.indexOf('.') >= 0 ? named(typed, id, copies) : held(id, copies);
    }

    /// What is not here may have been taken by another way, which was not typed.
    private CliException withWay(String typed, CliException missing) throws IOException {
        for (String name : new TreeSet<>(hive.config().transports().keySet())) {
            if (!hive.transport().elsewhere().held(name).find(typed).isEmpty()) {
                return missing.hint("it was taken by way of " + name + ":")
                        .fix(call.line().plus("--via", name).toString());
            }
        }
        return missing;
    }

    /// Of mail on another transport only this hive's own claims are known here.
    private Found findElsewhere(String typed, Via via) throws IOException {
        List<Held> own = new ArrayList<>();
        for (HeldClaims.Held held : new ViaLookup(hive, via).held(typed)) {
            if (held.token().equals(typed) || held.worker().equals(call.actor())) {
                own.add(
                        new Held(
                                new Found(held.token(), held.envelope().id(), inbox(held.inbox())),
                                held.attempt()));
            }
        }
        if (own.isEmpty()) {
            throw new CliException(
                    ErrorCode.CLAIM_LOST,
                    call.actor() + " took no " + typed + " from " + via.name() + " here");
        }
        return the(own, typed);
    }

    /// A claim that the caller has, and which attempt it is.
    private record Held(Found claim, int attempt) {}

    /// The one that is meant: by its own name, or a first attempt. Later ones must be named,
    /// because the caller may be the one who lost an earlier attempt.
    private Found the(List<Held> own, String typed) {
        Found first = own.getFirst().claim();
        if (own.size() == 1 && (own.getFirst().attempt() == 1 || first.token().equals(typed))) {
            return first;
        }
        String reason =
                own.size() == 1
                        ? " was tried before, expected the claim's name instead of the id"
                        : " is held in " + own.size() + " inboxes, expected a claim's name";
        throw new CliException(ErrorCode.CLAIM_LOST, first.id().shortForm() + reason)
                .hint("if this claim is yours:")
                .fix(call.line().replacing(typed, first.token()).toString());
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

    /// The one live claim of the envelope that the caller has.
    private Found held(EnvelopeId id, List<Catalog.Item> copies) throws IOException {
        List<Held> own = new ArrayList<>();
        String elsewhere = "it is " + copies.getFirst().state();
        for (Catalog.Item item : copies) {
            Catalog.Held claim = item.claim();
            if (claim != null && claim.worker().equals(call.actor())) {
                own.add(
                        new Held(
                                new Found(claim.token(), id, inbox(item.inbox())),
                                claim.attempt()));
            } else if (claim != null) {
                elsewhere = claim.worker() + " has it";
            }
        }
        if (own.isEmpty()) {
            throw new CliException(
                    ErrorCode.CLAIM_LOST,
                    call.actor() + " holds no claim of " + id.shortForm() + ": " + elsewhere);
        }
        return the(own, String.valueOf(call.args().operand(0)));
    }

    private Inbox inbox(Domain domain) throws IOException {
        return hive.inbox(domain.address());
    }
}
