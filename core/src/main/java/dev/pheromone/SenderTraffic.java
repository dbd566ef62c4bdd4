package dev.pheromone;

import dev.pheromone.HiveConfig.SenderLimits;
import dev.pheromone.envelope.Priority;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// What one sender put into one inbox in the last minute, and whether it may put in more: the pure
/// rules against floods and against agents that answer each other for ever.
///
/// Not thread-safe.
public final class SenderTraffic {

    /// From so many hops on an envelope is an answer to an answer.
    private static final int REPLY_HOPS_MIN = 2;

    /// Two that write to each other more often than so in a minute are not talking any more.
    public static final int PAIR_PER_MINUTE_MAX = 20;

    private static final int REPLIES_PER_MINUTE_MAX = 20;

    /// Nobody knows when a letter is taken.
    private static final Duration WAITING_RETRY = Duration.ofSeconds(30);

    private final RateWindow all = new RateWindow();
    private final RateWindow p0 = new RateWindow();
    private final RateWindow replies = new RateWindow();

    /// No traffic yet.
    public SenderTraffic() {}

    /// Counts an envelope that was put in at `at`.
    public void add(Instant at, Priority priority, int hops) {
        all.add(at);
        if (priority == Priority.P0) {
            p0.add(at);
        }
        if (hops >= REPLY_HOPS_MIN) {
            replies.add(at);
        }
    }

    /// Whether an envelope that was put in at `at` counts at `now`.
    public static boolean counts(Instant at, Instant now) {
        return at.isAfter(now.minus(RateWindow.LENGTH))
                && !at.isAfter(now.plus(RateWindow.AHEAD_MAX));
    }

    /// How many envelopes there were in the minute before `now`.
    public int perMinute(Instant now) {
        return all.count(now);
    }

    /// How many envelopes a sender has put into an inbox, at the least, if one of the rules below
    /// objects to another: whoever knows of fewer need not count.
    ///
    /// @param isOwned whether somebody else owns the inbox, who may answer for ever
    public static int objectionMin(
            Priority priority, int hops, boolean isOwned, SenderLimits limits) {
        int least = Math.min(limits.waitingMax(), limits.perMinuteMax());
        if (priority == Priority.P0) {
            least = Math.min(least, limits.p0PerMinuteMax());
        }
        if (hops >= REPLY_HOPS_MIN) {
            least = Math.min(least, REPLIES_PER_MINUTE_MAX);
        }
        return isOwned ? Math.min(least, PAIR_PER_MINUTE_MAX) : least;
    }

    /// Why an envelope may not be put in now, if something speaks against it.
    ///
    /// @param waiting how many of the sender's envelopes wait in the inbox
    /// @param answers how many the inbox's owner put into the sender's own inbox in the last minute
    public Optional<SendResult.Refused> objection(
            Priority priority,
            int hops,
            int waiting,
            int answers,
            SenderLimits limits,
            Instant now) {
        if (waiting >= limits.waitingMax()) {
            return refused(
                    WAITING_RETRY,
                    "found %d waiting from this sender, expected fewer than %d"
                            .formatted(waiting, limits.waitingMax()));
        }
        if (all.count(now) >= limits.perMinuteMax()) {
            return refused(
                    all.untilBelow(limits.perMinuteMax(), now),
                    "found %d from this sender in the last minute, expected fewer than %d"
                            .formatted(all.count(now), limits.perMinuteMax()));
        }
        if (priority == Priority.P0 && p0.count(now) >= limits.p0PerMinuteMax()) {
            return refused(
                    p0.untilBelow(limits.p0PerMinuteMax(), now),
                    "found %d P0 from this sender in the last minute, expected fewer than %d"
                            .formatted(p0.count(now), limits.p0PerMinuteMax()));
        }
        if (hops >= REPLY_HOPS_MIN && replies.count(now) >= REPLIES_PER_MINUTE_MAX) {
            return refused(
                    replies.untilBelow(REPLIES_PER_MINUTE_MAX, now),
                    "found %d answers to answers from this sender in the last minute, a loop;"
                                    .formatted(replies.count(now))
                            + " expected fewer than "
                            + REPLIES_PER_MINUTE_MAX);
        }
        if (Math.min(all.count(now), answers) >= PAIR_PER_MINUTE_MAX) {
            return refused(
                    all.untilBelow(PAIR_PER_MINUTE_MAX, now),
                    "found %d in the last minute between this pair, each way, a loop;"
                                    .formatted(Math.min(all.count(now), answers))
                            + " expected fewer than "
                            + PAIR_PER_MINUTE_MAX);
        }
        return Optional.empty();
    }

    private static Optional<SendResult.Refused> refused(Duration wait, String reason) {
        // Whole seconds, never none: that is what people and headers are told.
        long seconds = Math.max(1, (wait.toMillis() + 999) / 1_000);
        return Optional.of(new SendResult.Refused(Duration.ofSeconds(seconds), reason));
    }
}
