package dev.pheromone.session.look;

import dev.pheromone.Receipt;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseReading;
import dev.pheromone.rse.RseScope;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.look.Legs.Leg;
import dev.pheromone.session.mail.Sent;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Waits until every copy of an envelope that was sent has come as far as somebody wants, by the
/// evidence in the event log.
public final class LegWait {

    /// How long one look at the log waits for more.
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final Caller caller;
    private final OpenHive hive;

    public LegWait(Caller caller, OpenHive hive) {
        this.caller = caller;
        this.hive = hive;
    }

    /// How far the copies came.
    ///
    /// @param isReached whether all came as far as was wanted
    public record Waited(boolean isReached, Legs legs, List<Domain> inboxes) {
        public Waited {
            inboxes = List.copyOf(inboxes);
        }
    }

    /// Waits for at most `patience`, and not on when some copy has ended otherwise.
    public Waited until(Leg wanted, Sent sent, Duration patience) throws IOException {
        EnvelopeId id = sent.envelope().id();
        List<Domain> inboxes = new ArrayList<>();
        for (Receipt.Copy copy : sent.receipt().copies()) {
            inboxes.add(copy.inbox());
        }
        Legs legs = new Legs();
        Instant deadline = caller.now().plus(patience);
        try (RseReading reading =
                hive.log().read(Cursor.START, RseScope.ALL.about(Set.of(id.text())))) {
            while (true) {
                for (Optional<RseEntry> next = reading.next();
                        next.isPresent();
                        next = reading.next()) {
                    take(next.get(), id, legs);
                }
                boolean isReached = inboxes.stream().allMatch(in -> has(legs, in, wanted));
                Duration left = Duration.between(caller.now(), deadline);
                if (isReached
                        || !left.isPositive()
                        || inboxes.stream().anyMatch(in -> legs.end(in) != null)) {
                    return new Waited(isReached, legs, inboxes);
                }
                Optional<RseEntry> next = reading.next(left.compareTo(LOOK) < 0 ? left : LOOK);
                if (Thread.currentThread().isInterrupted()) {
                    throw new InterruptedIOException("interrupted while waiting");
                }
                next.ifPresent(entry -> take(entry, id, legs));
            }
        }
    }

    private static void take(RseEntry entry, EnvelopeId id, Legs legs) {
        if (entry instanceof RseEntry.Read read
                && read.event().about().filter(id.text()::equals).isPresent()) {
            legs.take(read.event());
        }
    }

    /// Whoever took mail was told of it, in whatever way.
    private static boolean has(Legs legs, Domain inbox, Leg wanted) {
        Leg last = legs.last(inbox);
        return last != null && last.compareTo(wanted) >= 0;
    }
}
