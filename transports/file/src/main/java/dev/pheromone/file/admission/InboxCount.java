package dev.pheromone.file.admission;

import dev.pheromone.Backpressure.Load;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// How much waits in an inbox, and since when, as somebody found it at one moment.
///
/// @param oldest since when something waits at the least; null if nothing was found that does
/// @param isExact whether nothing older can wait there
record InboxCount(int depth, @Nullable Instant oldest, boolean isExact) {

    static final InboxCount UNKNOWN = new InboxCount(0, null, false);

    private static final String NOTHING = "-";
    private static final String INEXACT = "?";

    /// One more waits, since `now`.
    InboxCount plusOne(Instant now) {
        return new InboxCount(depth + 1, oldest == null ? now : oldest, isExact);
    }

    /// The same oldest, among as many as somebody knows to wait.
    InboxCount withDepth(int known) {
        return new InboxCount(known, known == 0 ? null : oldest, isExact);
    }

    /// The same, as far as it still holds.
    InboxCount outdated() {
        return new InboxCount(depth, oldest, false);
    }

    /// What waits at `now`; of a count that is not exact, the age is the least that it can be.
    Load load(Instant now) {
        Duration age = oldest == null ? Duration.ZERO : Duration.between(oldest, now);
        return new Load(depth, age.isNegative() ? Duration.ZERO : age);
    }

    /// As two words of a line.
    String text() {
        return depth
                + " "
                + (oldest == null ? NOTHING : String.valueOf(oldest.toEpochMilli()))
                + (isExact ? "" : INEXACT);
    }

    /// Reads what [#text] wrote; empty if it is something else.
    static Optional<InboxCount> parse(String depth, String oldest) {
        boolean exact = !oldest.endsWith(INEXACT);
        String since = exact ? oldest : oldest.substring(0, oldest.length() - INEXACT.length());
        try {
            return Optional.of(
                    new InboxCount(
                            Integer.parseInt(depth),
                            since.equals(NOTHING)
                                    ? null
                                    : Instant.ofEpochMilli(Long.parseLong(since)),
                            exact));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
