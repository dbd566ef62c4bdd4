package dev.pheromone;

import dev.pheromone.selection.Waiting;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;

/// What waits in an inbox, in figures: for a look that does not show each envelope.
///
/// @param mail how many envelopes wait, expired ones included
/// @param bad how many files are no mail
/// @param oldest since when the oldest waits; null if none does
/// @param firstExpiry when the time of the first is over; null if none waits
/// @param next what is taken next; null if none waits
public record InboxOverview(
        int mail,
        int bad,
        @Nullable Instant oldest,
        @Nullable Instant firstExpiry,
        Waiting.@Nullable Mail next) {

    /// The figures of `waiting`, which is in picking order.
    public static InboxOverview of(List<Waiting> waiting) {
        int mail = 0;
        Instant oldest = null;
        Instant firstExpiry = null;
        Waiting.Mail next = null;
        for (Waiting item : waiting) {
            if (item instanceof Waiting.Mail envelope) {
                mail++;
                next = next == null ? envelope : next;
                oldest = earlier(oldest, envelope.urgency().orderTime());
                firstExpiry = earlier(firstExpiry, envelope.urgency().expiresAt());
            }
        }
        return new InboxOverview(mail, waiting.size() - mail, oldest, firstExpiry, next);
    }

    private static Instant earlier(@Nullable Instant known, Instant other) {
        return known == null || other.isBefore(known) ? other : known;
    }
}
