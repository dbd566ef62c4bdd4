package dev.pheromone.file.inbox;

import dev.pheromone.file.admission.InboxPressure;
import dev.pheromone.file.copy.PickCounter;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.selection.Urgency.Turn;

import java.io.IOException;
import java.time.Instant;

/// Whose turn it is in one inbox: mostly that of the most urgent envelope, every so often that of
/// the one that is due. Under backpressure the inbox drains.
final class Turns {

    private final PickCounter picks;
    private final InboxPressure pressure;
    private final int dueTurn;

    /// @param dueTurn each pick of so many is for the envelope that is due
    Turns(PickCounter picks, InboxPressure pressure, int dueTurn) {
        this.picks = picks;
        this.pressure = pressure;
        this.dueTurn = dueTurn;
    }

    /// The turn of the next pick.
    Turn next(Instant now) throws IOException {
        Turn next = Turn.of(nextPick(), dueTurn);
        return pressure.isHeld(now) ? next.draining() : next;
    }

    /// Which pick comes next; the first, if that can't be found out: only the next due turn depends
    /// on it.
    private long nextPick() throws IOException {
        try {
            return picks.next();
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            return 1;
        }
    }

    /// The turn of the next pick, for who only wants to know: nothing is judged anew.
    Turn foreseen() throws IOException {
        Turn next = Turn.of(picks.next(), dueTurn);
        return pressure.isMarked() ? next.draining() : next;
    }

    /// Counts a pick.
    void advance() {
        try {
            picks.advance();
        } catch (IOException e) {
            // The count only decides when the next due turn is; the envelope is ours.
        }
    }
}
