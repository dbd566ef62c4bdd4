package dev.pheromone.session.hive;

import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.envelope.Header;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.file.upkeep.Catalog;
import dev.pheromone.selection.Waiting;
import dev.pheromone.session.caller.ProblemException;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// Mail that came into an inbox, and when: what waits, and in the hive's own inboxes also what was
/// taken, or has ended.
///
/// @param at when the mail was stored there
public record StoredMail(OpenedCopy copy, Instant at) {

    /// Which mail is looked for: only that is opened.
    public interface Wanted {
        boolean test(Header header, String location);
    }

    private static final List<State> ENDS = List.of(State.DONE, State.EXPIRED, State.DEAD);

    /// What waits in `inbox`, as `mail` shows it.
    static List<StoredMail> waiting(
            GuardedTransport mail, Domain inbox, List<Waiting> waiting, Wanted wanted)
            throws IOException {
        List<StoredMail> stored = new ArrayList<>();
        for (Waiting item : waiting) {
            if (item instanceof Waiting.Mail one && wanted.test(one.header(), one.location())) {
                try {
                    mail.opened(inbox, one)
                            .ifPresent(copy ->
                                    stored.add(new StoredMail(copy, one.urgency().firstSeen())));
                } catch (ProblemException malformed) {
                    // It may become mail yet.
                }
            }
        }
        return stored;
    }

    /// What was taken from `inbox`.
    static List<StoredMail> active(OpenHive hive, Domain inbox, Wanted wanted) throws IOException {
        return of(hive, hive.catalog().active(inbox), wanted);
    }

    /// What has ended in `inbox` since then.
    static List<StoredMail> ended(OpenHive hive, Domain inbox, Instant since, Wanted wanted)
            throws IOException {
        List<Catalog.Item> items = new ArrayList<>();
        for (State state : ENDS) {
            for (Catalog.Item item : hive.catalog().archived(inbox, state)) {
                if (!ArchivedCopy.endOf(item).isBefore(since)) {
                    items.add(item);
                }
            }
        }
        return of(hive, items, wanted);
    }

    private static List<StoredMail> of(OpenHive hive, List<Catalog.Item> items, Wanted wanted)
            throws IOException {
        List<StoredMail> stored = new ArrayList<>();
        for (Catalog.Item item : items) {
            try {
                byte[] bytes = hive.catalog().read(item);
                int length = Math.min(bytes.length, EnvelopeText.PREFIX_BYTES_MAX);
                if (wanted.test(Header.parse(bytes, length), item.location())) {
                    stored.add(
                            new StoredMail(
                                    new Lookup(hive).open(item), hive.catalog().storedAt(item)));
                }
            } catch (MalformedEnvelopeException | NoSuchFileException | ProblemException e) {
                // It is no mail, or went on its way: then a later look finds it.
            }
        }
        return stored;
    }
}
