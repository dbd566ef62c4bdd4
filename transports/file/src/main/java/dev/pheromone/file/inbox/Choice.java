package dev.pheromone.file.inbox;

import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.copy.InboxIndex;
import dev.pheromone.file.copy.InboxIndex.Entry;
import dev.pheromone.selection.Urgency.Turn;

import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/// How one of those that wait in an inbox is chosen.
interface Choice {

    /// The one to claim; empty if there is none.
    Optional<Entry> pick(Instant now) throws IOException;

    /// Why it is `entry`, of `waiting`.
    String rationale(Entry entry, int waiting, Instant now);

    /// Told once what was picked is claimed.
    void picked();

    /// The most urgent, or the one that is due.
    final class InTurn implements Choice {

        private final InboxIndex index;
        private final Turns turns;
        private Turn turn = Turn.NORMAL;

        InTurn(InboxIndex index, Turns turns) {
            this.index = index;
            this.turns = turns;
        }

        @Override
        public Optional<Entry> pick(Instant now) throws IOException {
            turn = turns.next(now);
            return index.pick(now, turn);
        }

        @Override
        public String rationale(Entry entry, int waiting, Instant now) {
            return entry.urgency().rationale(turn, waiting, now);
        }

        @Override
        public void picked() {
            turns.advance();
        }
    }

    /// The envelope that somebody named, also while it pauses after a failure.
    record ById(InboxIndex index, EnvelopeId id) implements Choice {

        @Override
        public Optional<Entry> pick(Instant now) throws IOException {
            for (Entry entry : index.entries(now)) {
                if (isMeant(entry, now)) {
                    Optional<Entry> found = index.confirmed(entry, now);
                    if (found.isPresent() && isMeant(found.get(), now)) {
                        return found;
                    }
                }
            }
            return Optional.empty();
        }

        private boolean isMeant(Entry entry, Instant now) {
            return entry.header().id().equals(id) && !entry.urgency().isExpired(now);
        }

        @Override
        public String rationale(Entry entry, int waiting, Instant now) {
            return "named by its id, one of " + waiting;
        }

        @Override
        public void picked() {
            // The inbox's own order goes on where it was.
        }
    }
}
