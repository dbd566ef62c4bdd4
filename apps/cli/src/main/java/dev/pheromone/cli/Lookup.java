package dev.pheromone.cli;

import dev.pheromone.Envelope;
import dev.pheromone.EnvelopeId;
import dev.pheromone.MalformedEnvelopeException;
import dev.pheromone.cli.args.Phrase;
import dev.pheromone.file.Catalog;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// Finds envelopes by what was typed: an id, the end of one, or a claim's name.
final class Lookup {

    /// Fewer characters than this fit too many envelopes to be meant.
    private static final int TYPED_LENGTH_MIN = 4;

    private final OpenHive hive;

    Lookup(OpenHive hive) {
        this.hive = hive;
    }

    /// The copies of the one envelope that is meant, the liveliest first: waiting, active, then the
    /// archive.
    List<Catalog.Item> copies(String typed) throws IOException {
        // A claim's name begins with the id that it is of.
        int dot = typed.indexOf('.');
        String wanted = dot < 0 ? typed : typed.substring(0, dot);
        if (wanted.length() < TYPED_LENGTH_MIN) {
            throw new CliException(
                    ErrorCode.USAGE,
                    "id \""
                            + typed
                            + "\" is too short, expected the last "
                            + TYPED_LENGTH_MIN
                            + " characters or more");
        }
        List<Catalog.Item> found = new ArrayList<>(hive.catalog().find(wanted));
        if (found.isEmpty()) {
            throw new CliException(ErrorCode.NO_SUCH_ID, "no envelope " + typed + " in this hive")
                    .hint("what there is:")
                    .fix("rsm status");
        }
        Set<EnvelopeId> ids = new TreeSet<>();
        for (Catalog.Item item : found) {
            if (item.id() != null) {
                ids.add(item.id());
            }
        }
        if (ids.size() > 1) {
            List<String> texts = new ArrayList<>();
            ids.forEach(id -> texts.add(id.text()));
            throw new CliException(
                            ErrorCode.AMBIGUOUS_ID,
                            "id \"" + typed + "\" fits " + ids.size() + " envelopes")
                    .hint(
                            "type more of it: "
                                    + Phrase.or(texts.size() > 5 ? texts.subList(0, 5) : texts));
        }
        found.sort(Comparator.comparing(Catalog.Item::state));
        return found;
    }

    /// The envelope that is meant, opened and checked.
    Letter letter(String typed) throws IOException {
        return open(copies(typed).getFirst());
    }

    /// One copy, opened and checked.
    Letter open(Catalog.Item item) throws IOException {
        Envelope envelope;
        try {
            envelope = Envelope.parse(hive.catalog().read(item));
        } catch (MalformedEnvelopeException e) {
            throw new CliException(ErrorCode.BAD_MAIL, item.location() + ": " + e.getMessage(), e)
                    .hint("the file as it is:")
                    .fix("rsm read --raw " + item.id());
        }
        return new Letter(
                envelope,
                hive.checkSignature(envelope),
                item.inbox(),
                item.state(),
                item.location());
    }
}
