package dev.pheromone.cli;

import dev.pheromone.Domain;
import dev.pheromone.EnvelopeId;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Selection;
import dev.pheromone.State;
import dev.pheromone.file.Catalog;
import dev.pheromone.file.HeldClaims;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/// Finds the claim that was typed: by its name, by its short name, or by the id of an envelope that
/// the caller plainly holds.
final class ClaimLookup {

    /// A claim and the inbox that it is of.
    ///
    /// @param isNew whether it was made just now, to be finished at once
    record Found(String token, EnvelopeId id, Inbox inbox, boolean isNew) {}

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
        List<Catalog.Item> copies = copies(typed);
        EnvelopeId id = id(typed, copies);
        return ShortClaim.isWhole(typed)
                ? named(typed, id, copies)
                : held(typed, ShortClaim.parse(typed).orElse(null), id, copies);
    }

    /// As [#find]; mail that waits in the caller's own inbox is claimed, so that it can be finished
    /// in one step.
    Found findOrTake(String typed) throws IOException {
        if (hive.via() == null && typed.indexOf('.') < 0) {
            List<Catalog.Item> copies = copies(typed);
            Domain own = hive.ownAddress().domain();
            boolean isHeld =
                    copies.stream()
                            .anyMatch(copy ->
                                    copy.claim() != null
                                            && copy.claim().worker().equals(call.actor()));
            if (!isHeld) {
                // What the caller holds is left alone: the lease may be over, and the work done.
                copies = new Lookup(hive).copiesAfterLeases(typed);
            }
            boolean isWaiting =
                    copies.stream()
                            .anyMatch(copy ->
                                    copy.state() == State.WAITING && copy.inbox().equals(own));
            if (!isHeld && isWaiting) {
                EnvelopeId id = id(typed, copies);
                Lease lease = Lease.unattended(hive.config().lease().select());
                switch (hive.transport().picking(own).take(id, call.actor(), lease)) {
                    case Selection.Taken(var claim) -> {
                        return new Found(claim.token(), id, inbox(own), true);
                    }
                    case Selection.Withheld(var lock, var reason) ->
                            throw Locked.by(call, lock, reason, own.address().toString());
                    case Selection.Nothing _ -> {
                        // It went on its way; what became of it is said below.
                    }
                }
            }
        }
        return find(typed);
    }

    private List<Catalog.Item> copies(String typed) throws IOException {
        try {
            return new Lookup(hive).copies(typed);
        } catch (CliException e) {
            throw e.code() == ErrorCode.NO_SUCH_ID ? withWay(typed, e) : e;
        }
    }

    private static EnvelopeId id(String typed, List<Catalog.Item> copies) {
        EnvelopeId id = copies.getFirst().id();
        if (id == null) {
            throw new CliException(ErrorCode.NO_SUCH_ID, "no envelope " + typed + " in this hive");
        }
        return id;
    }

    /// What is not here may have been taken by another way, which was not typed.
    private CliException withWay(String typed, CliException missing) throws IOException {
        for (String name : new TreeSet<>(hive.config().transports().keySet())) {
            if (!hive.transport().elsewhere().held(name).find(idIn(typed)).isEmpty()) {
                return missing.hint("it was taken by way of " + name + ":")
                        .fix(call.line().plus("--via", name).toString());
            }
        }
        return missing;
    }

    private static String idIn(String typed) {
        return ShortClaim.parse(typed).map(ShortClaim::id).orElse(typed);
    }

    /// Of mail on another transport only this hive's own claims are known here.
    private Found findElsewhere(String typed, Via via) throws IOException {
        ShortClaim numbered = ShortClaim.parse(typed).orElse(null);
        List<Held> own = new ArrayList<>();
        for (HeldClaims.Held held : new ViaLookup(hive, via).held(idIn(typed))) {
            boolean isMeant =
                    held.token().equals(typed)
                            || (held.worker().equals(call.actor())
                                    && (numbered == null || numbered.attempt() == held.attempt()));
            if (isMeant) {
                own.add(
                        new Held(
                                new Found(
                                        held.token(),
                                        held.envelope().id(),
                                        inbox(held.inbox()),
                                        false),
                                held.attempt(),
                                held.attempt() == 1));
            }
        }
        if (own.isEmpty()) {
            throw new CliException(
                            ErrorCode.CLAIM_LOST,
                            call.actor() + " took no " + typed + " from " + via.name() + " here")
                    .hint("mail there is finished by whoever has taken it:")
                    .fix("rsm select --via " + via.name());
        }
        return the(own, typed, numbered);
    }

    /// A claim that the caller has.
    ///
    /// @param isPlain whether it can't be taken for an earlier claim of the caller's
    private record Held(Found claim, int attempt, boolean isPlain) {}

    /// The one that is meant. An id alone will do for the caller's first claim of the envelope; a
    /// later one must be named, because the caller may be the one who lost the earlier.
    private Found the(List<Held> own, String typed, @Nullable ShortClaim numbered) {
        Held first = own.getFirst();
        Found claim = first.claim();
        boolean isNamed = numbered != null || claim.token().equals(typed);
        if (own.size() == 1 && (isNamed || first.isPlain())) {
            return claim;
        }
        String reason =
                own.size() == 1
                        ? " was tried by you before, expected its attempt with the id"
                        : " is held in " + own.size() + " inboxes, expected a claim's name";
        String name = own.size() == 1 ? ShortClaim.of(claim.id(), first.attempt()) : claim.token();
        throw new CliException(ErrorCode.CLAIM_LOST, claim.id().shortForm() + reason)
                .hint("if this claim is yours:")
                .fix(call.line().replacing(typed, name).toString());
    }

    /// The claim of this very name. Whether it still holds is for the inbox to say.
    private Found named(String token, EnvelopeId id, List<Catalog.Item> copies) throws IOException {
        for (Catalog.Item item : copies) {
            if (item.claim() != null && item.claim().token().equals(token)) {
                return new Found(token, id, inbox(item.inbox()), false);
            }
        }
        for (Catalog.Item item : copies) {
            boolean isOfHere =
                    hive.catalog().history(item.inbox(), id).stream()
                            .anyMatch(step ->
                                    step.optionalText("claim").filter(token::equals).isPresent());
            if (isOfHere) {
                return new Found(token, id, inbox(item.inbox()), false);
            }
        }
        throw new CliException(ErrorCode.CLAIM_LOST, "no claim " + token + " in this hive");
    }

    /// The one live claim of the envelope that the caller has.
    private Found held(
            String typed, @Nullable ShortClaim numbered, EnvelopeId id, List<Catalog.Item> copies)
            throws IOException {
        List<Held> own = new ArrayList<>();
        String elsewhere = "it is " + copies.getFirst().state();
        for (Catalog.Item item : copies) {
            Catalog.Held claim = item.claim();
            if (claim == null) {
                continue;
            }
            boolean isMeant = numbered == null || numbered.attempt() == claim.attempt();
            if (claim.worker().equals(call.actor()) && isMeant) {
                own.add(
                        new Held(
                                new Found(claim.token(), id, inbox(item.inbox()), false),
                                claim.attempt(),
                                isFirstOfCaller(item.inbox(), id, claim)));
            } else {
                elsewhere =
                        claim.worker().equals(call.actor())
                                ? "this is attempt " + claim.attempt()
                                : claim.worker() + " has it";
            }
        }
        if (own.isEmpty()) {
            throw none(typed, id, copies, elsewhere);
        }
        return the(own, typed, numbered);
    }

    private CliException none(
            String typed, EnvelopeId id, List<Catalog.Item> copies, String elsewhere) {
        CliException none =
                new CliException(
                        ErrorCode.CLAIM_LOST,
                        call.actor()
                                + " holds no claim of "
                                + (typed.indexOf('.') < 0 ? id.shortForm() : typed)
                                + ": "
                                + elsewhere);
        for (Catalog.Item item : copies) {
            if (item.state() == State.WAITING) {
                return none.hint("take it first:").fix("rsm select --id " + id.shortForm());
            }
        }
        return none;
    }

    /// Whether the caller had no claim of this copy before: then an id alone means this one.
    private boolean isFirstOfCaller(Domain inbox, EnvelopeId id, Catalog.Held claim)
            throws IOException {
        return claim.attempt() == 1
                || hive.catalog().history(inbox, id).stream()
                        .noneMatch(step ->
                                step.optionalText("what").orElse("").equals("claim")
                                        && step.optionalText("by")
                                                .orElse("")
                                                .equals(call.actor().name())
                                        && !step.optionalText("claim")
                                                .orElse("")
                                                .equals(claim.token()));
    }

    private Inbox inbox(Domain domain) throws IOException {
        return hive.inbox(domain.address());
    }
}
