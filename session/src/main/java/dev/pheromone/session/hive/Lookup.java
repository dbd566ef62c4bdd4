package dev.pheromone.session.hive;

import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.file.upkeep.Catalog;
import dev.pheromone.selection.Waiting;
import dev.pheromone.session.caller.Phrase;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// Finds envelopes by what was typed: an id, the end of one, or a claim's name.
public final class Lookup {

    /// Fewer characters than this fit too many envelopes to be meant.
    public static final int TYPED_LENGTH_MIN = 4;

    /// An envelope moves from inbox to active to archive, and seldom back.
    private static final int LOOKS_MAX = 5;

    /// How many ids are named where several fit.
    private static final int SHOWN_MAX = 5;

    private final OpenHive hive;

    public Lookup(OpenHive hive) {
        this.hive = hive;
    }

    /// The copies of the one envelope that is meant, the liveliest first: waiting, active, then the
    /// archive.
    public List<Catalog.Item> copies(String typed) throws IOException {
        // A claim's name begins with the id that it is of.
        int dot = typed.indexOf('.');
        String wanted = dot < 0 ? typed : typed.substring(0, dot);
        if (wanted.length() < TYPED_LENGTH_MIN) {
            throw tooShort(typed);
        }
        List<Catalog.Item> found = new ArrayList<>(hive.catalog().find(wanted));
        if (found.isEmpty()) {
            throw new ProblemException(Code.NO_SUCH_ID, "no envelope " + typed + " in this hive")
                    .hint("what there is:")
                    .fix("rsm status");
        }
        Set<EnvelopeId> ids = new TreeSet<>();
        for (Catalog.Item item : found) {
            if (item.id() != null) {
                ids.add(item.id());
            }
        }
        refuseIfSeveral(typed, ids);
        found.sort(
                Comparator.comparing((Catalog.Item item) -> !isClaimedAs(item, typed))
                        .thenComparing(Catalog.Item::state));
        return found;
    }

    /// Fails if what was typed fits several envelopes.
    static void refuseIfSeveral(String typed, Set<EnvelopeId> ids) {
        if (ids.size() > 1) {
            throw new ProblemException(
                            Code.AMBIGUOUS_ID,
                            "id \"" + typed + "\" fits " + ids.size() + " envelopes")
                    .hint(
                            "type more of it: "
                                    + Phrase.or(
                                            ids.stream()
                                                    .limit(SHOWN_MAX)
                                                    .map(EnvelopeId::text)
                                                    .toList()));
        }
    }

    /// As [#copies], once mail whose lease has ended is taken back, as a selection does first.
    public List<Catalog.Item> copiesAfterLeases(String typed) throws IOException {
        List<Catalog.Item> copies = copies(typed);
        boolean isClaimed = false;
        for (Catalog.Item copy : copies) {
            if (copy.claim() != null) {
                isClaimed = true;
                hive.transport().reap(copy.inbox());
            }
        }
        return isClaimed ? copies(typed) : copies;
    }

    public static ProblemException tooShort(String typed) {
        return new ProblemException(
                Code.USAGE,
                "id \""
                        + typed
                        + "\" is too short, expected the last "
                        + TYPED_LENGTH_MIN
                        + " characters or more");
    }

    /// Other copies may say something else, whoever wrote them.
    private static boolean isClaimedAs(Catalog.Item item, String token) {
        return item.claim() != null && item.claim().token().equals(token);
    }

    /// What is made of a copy that was found.
    public interface Reading<T> {
        T of(Catalog.Item item) throws IOException;
    }

    /// What `reading` makes of the first copy. Mail is moved by others at any time: then it is
    /// looked for where it went.
    public <T> T first(String typed, Reading<T> reading) throws IOException {
        for (int i = 1; i < LOOKS_MAX; i++) {
            try {
                return reading.of(copies(typed).getFirst());
            } catch (NoSuchFileException e) {
                // It went on its way while we looked.
            }
        }
        return reading.of(copies(typed).getFirst());
    }

    /// One copy, opened and checked; fails with `NoSuchFileException` if it went on its way.
    public OpenedCopy open(Catalog.Item item) throws IOException {
        Envelope envelope;
        try {
            envelope = Envelope.parse(hive.catalog().read(item));
        } catch (MalformedEnvelopeException e) {
            throw new ProblemException(Code.BAD_MAIL, item.location() + ": " + e.getMessage(), e)
                    .hint("the file as it is:")
                    .fix("rsm read --raw " + item.id());
        }
        return new OpenedCopy(
                envelope,
                hive.checkSignature(envelope),
                item.inbox(),
                item.state(),
                item.location());
    }

    /// Mail that waits in one of the hive's own inboxes, opened and checked; empty if it went on
    /// its way.
    Optional<OpenedCopy> open(Domain inbox, Waiting.Mail mail) throws IOException {
        try {
            return Optional.of(
                    open(
                            new Catalog.Item(
                                    inbox,
                                    State.WAITING,
                                    mail.header().id(),
                                    mail.location(),
                                    null,
                                    null)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }
}
