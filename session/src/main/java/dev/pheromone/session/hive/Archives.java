package dev.pheromone.session.hive;

import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.upkeep.Catalog;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// What ended in the hive's own inboxes.
final class Archives {

    private static final List<State> ENDS =
            List.of(State.DONE, State.EXPIRED, State.DEAD, State.DUPLICATE, State.CONFLICT);

    private final OpenHive hive;

    Archives(OpenHive hive) {
        this.hive = hive;
    }

    /// At most `countMax` copies that ended so, since then, newest first.
    GuardedTransport.Archived look(@Nullable State wanted, @Nullable Instant since, int countMax)
            throws IOException {
        List<Catalog.Item> items = new ArrayList<>();
        for (Domain domain : hive.catalog().domains()) {
            for (State state : ENDS) {
                if (wanted == null || wanted == state) {
                    items.addAll(hive.catalog().archived(domain, state));
                }
            }
        }
        items.removeIf(item -> since != null && ArchivedCopy.endOf(item).isBefore(since));
        items.sort(Comparator.comparing(ArchivedCopy::endOf).reversed());
        List<ArchivedCopy> copies = new ArrayList<>();
        for (Catalog.Item item : items.size() > countMax ? items.subList(0, countMax) : items) {
            copies.add(
                    new ArchivedCopy(
                            item.id(),
                            item.inbox(),
                            item.state(),
                            ArchivedCopy.endOf(item),
                            item.location(),
                            ArchivedCopy.headerOf(hive, item),
                            reason(item)));
        }
        return new GuardedTransport.Archived(copies, items.size());
    }

    /// Why mail is dead or in conflict, or expired on its way to another transport, where it may
    /// have arrived, as whoever ended it noted; null if nobody did.
    private @Nullable String reason(Catalog.Item item) throws IOException {
        EnvelopeId id = item.id();
        if (id == null) {
            return null;
        }
        boolean isTold =
                switch (item.state()) {
                    case DEAD, CONFLICT -> true;
                    case EXPIRED -> hive.catalog().endedOnTheWayTo(item.inbox(), id).isPresent();
                    case WAITING, ACTIVE, DONE, DUPLICATE -> false;
                };
        if (!isTold) {
            return null;
        }
        String reason = hive.catalog().reason(item.inbox(), id);
        return reason.isEmpty() ? null : reason;
    }
}
