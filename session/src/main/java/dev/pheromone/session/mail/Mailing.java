package dev.pheromone.session.mail;

import dev.pheromone.AwayException;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.embargo.MissingInbox;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.Pause;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.session.hive.ConsentEvents;
import dev.pheromone.session.hive.OpenHive;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// Hands an envelope to the transport of the caller's mail, as often as the caller wants.
public final class Mailing {

    /// Nobody tells when an inbox has room again, so the same envelope is sent again after a pause.
    private static final Duration PAUSE_MAX = Duration.ofSeconds(5);

    private final Caller caller;
    private final OpenHive hive;

    public Mailing(Caller caller, OpenHive hive) {
        this.caller = caller;
        this.hive = hive;
    }

    /// As [#post]; fails before anything is sent if `envelope` is public and holds what must not
    /// be.
    public Sent send(Envelope envelope, Sending how) throws IOException {
        if (envelope.consent() == Consent.PUBLIC) {
            hive.publicPass().refuseIfTelling(envelope);
        }
        return post(envelope, how);
    }

    /// Sends `envelope`, and returns what became of it, delivered or not.
    public Sent post(Envelope envelope, Sending how) throws IOException {
        Doomed.refuse(envelope, hive, caller.now());
        try {
            hive.mail().makeRoomForAnswers();
        } catch (WithheldException | AwayException e) {
            // Then the mail is kept: in the embargo, or in the outbox.
        }
        Receipt receipt = sendPatiently(envelope, how);
        new ConsentEvents(caller, hive).refused(envelope, receipt);
        return Sent.of(envelope, receipt, hive.mail().name().orElse(null));
    }

    private Receipt sendPatiently(Envelope envelope, Sending how) throws IOException {
        Instant deadline = caller.now().plus(how.patience());
        Receipt receipt = null;
        while (true) {
            receipt = after(receipt, sendOnce(envelope, how.missing()));
            Duration wait = longestWait(receipt);
            Duration left = Duration.between(caller.now(), deadline);
            if (wait == null || !left.isPositive()) {
                return receipt;
            }
            // Room may come sooner than it was said to, and is looked for until the very end.
            Duration pause = wait.compareTo(PAUSE_MAX) > 0 ? PAUSE_MAX : wait;
            Pause.of(pause.compareTo(left) > 0 ? left : pause);
        }
    }

    /// What became of each copy in all: what an earlier try delivered is no duplicate in this one.
    private static Receipt after(@Nullable Receipt earlier, Receipt now) {
        if (earlier == null) {
            return now;
        }
        List<Receipt.Copy> copies = new ArrayList<>();
        for (Receipt.Copy copy : now.copies()) {
            Receipt.Copy known = copy;
            for (Receipt.Copy before : earlier.copies()) {
                boolean arrivedBefore =
                        before.result() instanceof SendResult.Delivered
                                || before.result() instanceof SendResult.Unconfirmed;
                if (arrivedBefore
                        && before.inbox().equals(copy.inbox())
                        && copy.result() instanceof SendResult.Duplicate) {
                    known = before;
                }
            }
            copies.add(known);
        }
        return new Receipt(
                now.id(),
                now.hash(),
                copies,
                now.waited().isNone() ? earlier.waited() : now.waited());
    }

    private Receipt sendOnce(Envelope envelope, MissingInbox missing) throws IOException {
        try {
            return hive.mail().send(envelope, missing);
        } catch (NoSuchInboxException e) {
            throw new ProblemException(
                    Code.NO_SUCH_INBOX, "no inbox " + e.address() + "; nothing was sent", e);
        }
    }

    private static @Nullable Duration longestWait(Receipt receipt) {
        Duration longest = null;
        for (Receipt.Copy copy : receipt.copies()) {
            if (copy.result() instanceof SendResult.Refused(var retryAfter, var reason)
                    && (longest == null || retryAfter.compareTo(longest) > 0)) {
                longest = retryAfter;
            }
        }
        return longest;
    }
}
