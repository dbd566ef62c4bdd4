package dev.pheromone.file;

import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.copy.InboxIndex;
import dev.pheromone.file.copy.InboxIndex.Entry;
import dev.pheromone.file.copy.PickCounter;
import dev.pheromone.guard.WithheldException;
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
        private final PickCounter picks;
        private final InboxPressure pressure;
        private final int dueTurn;
        private Turn turn = Turn.NORMAL;

        InTurn(InboxIndex index, PickCounter picks, InboxPressure pressure, int dueTurn) {
            this.index = index;
            this.picks = picks;
            this.pressure = pressure;
            this.dueTurn = dueTurn;
        }

        @Override
        public Optional<Entry> pick(Instant now) throws IOException {
            Turn next = Turn.of(nextPick(), dueTurn);
            turn = pressure.held(now).isPresent() ? next.draining() : next;
            return index.pick(now, turn);
        }

        /// Which pick comes next; the first, if that can't be found out: only the next due turn
        /// depends on it.
        private long nextPick() throws IOException {
            try {
                return picks.next();
            } catch (WithheldException e) {
                throw e;
            } catch (IOException e) {
                return 1;
            }
        }

        @Override
        public String rationale(Entry entry, int waiting, Instant now) {
            return entry.urgency().rationale(turn, waiting, now);
        }

        @Override
        public void picked() {
            try {
                picks.advance();
            } catch (IOException e) {
                // The count only decides when the next due turn is; the envelope is ours.
            }
        }
    }

    /// The envelope that somebody named, also while it pauses after a failure.
    record ById(InboxIndex index, EnvelopeId id) implements Choice {

        @Override
        public Optional<Entry> pick(Instant now) {
            return index.entries().stream()
                    .filter(entry ->
                            entry.header().id().equals(id) && !entry.urgency().isExpired(now))
                    .findFirst();
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
