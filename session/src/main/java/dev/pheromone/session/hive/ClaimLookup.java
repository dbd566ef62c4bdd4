package dev.pheromone.session.hive;

import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Selection;
import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.remote.HeldClaims;
import dev.pheromone.file.upkeep.Catalog;
import dev.pheromone.guard.Lock;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.session.caller.ProblemException.Remedy;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/// Finds the claim that was typed: by its name, by its short name, or by the id of an envelope that
/// the caller plainly holds.
public final class ClaimLookup {

    /// What a search for a claim that is to be finished came to.
    public sealed interface Search {}

    /// A lock kept the copy from being claimed.
    public record Withheld(Lock lock, String reason, Domain inbox) implements Search {}

    /// A claim and the inbox that it is of.
    ///
    /// @param isNew whether it was made just now, to be finished at once
    public record Found(String token, EnvelopeId id, Inbox inbox, boolean isNew)
            implements Search {}

    private final Caller caller;
    private final OpenHive hive;

    ClaimLookup(Caller caller, OpenHive hive) {
        this.caller = caller;
        this.hive = hive;
    }

    /// The claim in the hive's own inboxes.
    Found findHere(String typed) throws IOException {
        List<Catalog.Item> copies = copies(typed);
        EnvelopeId id = id(typed, copies);
        return ShortClaim.isWhole(typed)
                ? named(typed, id, copies)
                : held(typed, ShortClaim.parse(typed).orElse(null), id, copies);
    }

    /// As [#findHere]; mail that waits in the caller's own inbox is claimed, so that it can be
    /// finished in one step.
    Search findOrTakeHere(String typed) throws IOException {
        if (typed.indexOf('.') < 0) {
            List<Catalog.Item> copies = copies(typed);
            Domain own = hive.ownAddress().domain();
            boolean isHeld =
                    copies.stream()
                            .anyMatch(copy ->
                                    copy.claim() != null
                                            && copy.claim().worker().equals(caller.actor()));
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
                switch (hive.transport().picking(own).take(id, caller.actor(), lease)) {
                    case Selection.Taken(var claim) -> {
                        return new Found(claim.token(), id, inbox(own), true);
                    }
                    case Selection.Withheld(var lock, var reason) -> {
                        return new Withheld(lock, reason, own);
                    }
                    case Selection.Nothing _ -> {
                        // It went on its way; what became of it is said below.
                    }
                }
            }
        }
        return findHere(typed);
    }

    private List<Catalog.Item> copies(String typed) throws IOException {
        try {
            return new Lookup(hive).copies(typed);
        } catch (ProblemException e) {
            throw e.code() == Code.NO_SUCH_ID ? withWay(typed, e) : e;
        }
    }

    private static EnvelopeId id(String typed, List<Catalog.Item> copies) {
        EnvelopeId id = copies.getFirst().id();
        if (id == null) {
            throw new ProblemException(Code.NO_SUCH_ID, "no envelope " + typed + " in this hive");
        }
        return id;
    }

    /// What is not here may have been taken by another way, which was not typed.
    private ProblemException withWay(String typed, ProblemException missing) throws IOException {
        for (String name : new TreeSet<>(hive.config().transports().keySet())) {
            if (!hive.transport().remote().held(name).find(idIn(typed)).isEmpty()) {
                return missing.hint("it was taken by way of " + name + ":")
                        .remedy(new Remedy.With("via", name));
            }
        }
        return missing;
    }

    private static String idIn(String typed) {
        return ShortClaim.parse(typed).map(ShortClaim::id).orElse(typed);
    }

    /// The claim at another transport, of which only this hive's own claims are known here.
    Found findAt(OtherTransport via, String typed) throws IOException {
        ShortClaim numbered = ShortClaim.parse(typed).orElse(null);
        List<Held> own = new ArrayList<>();
        for (HeldClaims.Held held : via.heldAs(idIn(typed))) {
            boolean isMeant =
                    held.token().equals(typed)
                            || (held.worker().equals(caller.actor())
                                    && (numbered == null
                                            || numbered.fits(held.attempt(), held.token())));
            if (isMeant) {
                EnvelopeId id = held.envelope().id();
                own.add(
                        new Held(
                                new Found(held.token(), id, inbox(held.inbox()), false),
                                held.attempt(),
                                before(held.inbox(), id, held.attempt(), held.token())));
            }
        }
        if (own.isEmpty()) {
            throw new ProblemException(
                            Code.CLAIM_LOST,
                            caller.actor() + " took no " + typed + " from " + via.title() + " here")
                    .hint("mail there is finished by whoever has taken it:")
                    .fix("rsm select --via " + via.title());
        }
        return the(own, typed, numbered);
    }

    /// A claim that the caller has.
    ///
    /// @param before what the caller had of the same copy before
    private record Held(Found claim, int attempt, ClaimNames.Before before) {

        /// Whether what was typed can't mean an earlier claim of the caller's. An id alone will do
        /// for the first claim of the copy, and the attempt with it for the first of that attempt:
        /// the caller may be the one who lost, or gave back, the earlier.
        boolean isNamedBy(String typed, @Nullable ShortClaim numbered) {
            return claim.token().equals(typed)
                    || switch (before) {
                        case NOTHING -> true;
                        case OTHER_ATTEMPTS -> numbered != null;
                        case THIS_ATTEMPT -> numbered != null && numbered.isExact();
                    };
        }

        String name() {
            return ClaimNames.name(claim.id(), attempt, claim.token(), before);
        }
    }

    private ClaimNames.Before before(Domain inbox, EnvelopeId id, int attempt, String token)
            throws IOException {
        return new ClaimNames(hive).before(inbox, id, caller.actor(), attempt, token);
    }

    /// The one that is meant.
    private Found the(List<Held> own, String typed, @Nullable ShortClaim numbered) {
        Held first = own.getFirst();
        Found claim = first.claim();
        if (own.size() == 1 && first.isNamedBy(typed, numbered)) {
            return claim;
        }
        String reason;
        if (own.size() > 1) {
            reason = " is held in " + own.size() + " inboxes, expected a claim's name";
        } else if (first.before() == ClaimNames.Before.THIS_ATTEMPT) {
            reason =
                    " was given back and taken again by "
                            + caller.actor()
                            + ", expected the later claim's name";
        } else {
            reason = " was tried by you before, expected its attempt with the id";
        }
        throw new ProblemException(Code.CLAIM_LOST, claim.id().shortForm() + reason)
                .hint("if this claim is yours:")
                .remedy(new Remedy.Instead(typed, own.size() == 1 ? first.name() : claim.token()));
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
        throw new ProblemException(Code.CLAIM_LOST, "no claim " + token + " in this hive");
    }

    /// The one live claim of the envelope that the caller has.
    private Found held(
            String typed, @Nullable ShortClaim numbered, EnvelopeId id, List<Catalog.Item> copies)
            throws IOException {
        List<Held> own = new ArrayList<>();
        String remote = "it is " + copies.getFirst().state();
        for (Catalog.Item item : copies) {
            Catalog.Held claim = item.claim();
            if (claim == null) {
                continue;
            }
            boolean isMeant = numbered == null || numbered.fits(claim.attempt(), claim.token());
            if (claim.worker().equals(caller.actor()) && isMeant) {
                own.add(
                        new Held(
                                new Found(claim.token(), id, inbox(item.inbox()), false),
                                claim.attempt(),
                                before(item.inbox(), id, claim.attempt(), claim.token())));
            } else {
                remote =
                        claim.worker().equals(caller.actor())
                                ? "the claim now is "
                                        + new ClaimNames(hive).of(item.inbox(), id, claim)
                                : claim.worker() + " has it";
            }
        }
        if (own.isEmpty()) {
            throw none(typed, id, copies, remote);
        }
        return the(own, typed, numbered);
    }

    private ProblemException none(
            String typed, EnvelopeId id, List<Catalog.Item> copies, String remote) {
        ProblemException none =
                new ProblemException(
                        Code.CLAIM_LOST,
                        caller.actor()
                                + " holds no claim of "
                                + (typed.indexOf('.') < 0 ? id.shortForm() : typed)
                                + ": "
                                + remote);
        for (Catalog.Item item : copies) {
            if (item.state() == State.WAITING) {
                return none.hint("take it first:").fix("rsm select --id " + id.shortForm());
            }
        }
        return none;
    }

    private Inbox inbox(Domain domain) throws IOException {
        return hive.inbox(domain.address());
    }
}
