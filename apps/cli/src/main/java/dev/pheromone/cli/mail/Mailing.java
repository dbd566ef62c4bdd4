package dev.pheromone.cli.mail;

import dev.pheromone.AwayException;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.Exit;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.NoInbox;
import dev.pheromone.cli.frame.TypedHive;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.session.ConsentEvents;
import dev.pheromone.session.Doomed;
import dev.pheromone.session.OpenHive;
import dev.pheromone.session.Pause;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// Hands an envelope to the hive, as often as it was allowed to, and reports what became of it.
public final class Mailing {

    /// Nobody tells us when an inbox has room again, so we look.
    private static final Duration PAUSE_MAX = Duration.ofSeconds(5);

    private final Invocation call;
    private final OpenHive hive;

    public Mailing(Invocation call, OpenHive hive) {
        this.call = call;
        this.hive = hive;
    }

    /// As [#send], and then waits for the answer, if that was asked for.
    Answer sendAndWait(Envelope envelope) throws IOException {
        EndWait end = EndWait.asked(call, hive);
        if (end != null) {
            return end.after(send(envelope));
        }
        if (!call.args().has("wait-reply")) {
            return send(envelope);
        }
        ReplyWait wait = null;
        try {
            wait = ReplyWait.forAnswerTo(envelope, call, hive);
        } catch (WithheldException e) {
            // Then the mail goes to the mirror, unless the lock was lifted just now.
        } catch (AwayException e) {
            // Then the mail goes to the outbox, unless somebody answers again.
        }
        SentAnswer sent = send(envelope);
        if (sent.isSpooled()) {
            throw sent.unanswered();
        }
        return (wait == null ? ReplyWait.forAnswerTo(envelope, call, hive) : wait).after(sent);
    }

    /// Sends `envelope`, and returns what to answer; fails if some copy was not delivered, and
    /// before anything is sent if it is public and holds what must not be.
    SentAnswer send(Envelope envelope) throws IOException {
        if (envelope.consent() == Consent.PUBLIC) {
            hive.publicPass().refuseIfTelling(envelope);
        }
        return sendLookedThrough(envelope);
    }

    /// As [#send], of an envelope that was redacted.
    public SentAnswer sendLookedThrough(Envelope envelope) throws IOException {
        SentAnswer sent = post(envelope);
        if (sent.exit() != Exit.DONE) {
            throw sent.failure(call);
        }
        for (String trouble : sent.troubles()) {
            call.warn(trouble);
        }
        sent.waited().ifPresent(call::note);
        return sent;
    }

    /// Sends `envelope`, and tells what became of it, delivered or not.
    SentAnswer post(Envelope envelope) throws IOException {
        Doomed.refuse(envelope, hive, call.now());
        try {
            hive.mail().makeRoomForAnswers();
        } catch (WithheldException | AwayException e) {
            // Then the mail is kept: in the embargo, or in the outbox.
        }
        Receipt receipt = sendPatiently(envelope);
        new ConsentEvents(call, hive).refused(envelope, receipt);
        return new SentAnswer(envelope, receipt, call.now(), hive.mail().name().orElse(null));
    }

    private Receipt sendPatiently(Envelope envelope) throws IOException {
        Duration patience = call.args().duration("retry-for");
        Instant deadline = patience == null ? call.now() : call.now().plus(patience);
        Receipt receipt = null;
        while (true) {
            receipt = after(receipt, sendOnce(envelope));
            Duration wait = longestWait(receipt);
            Duration left = Duration.between(call.now(), deadline);
            if (patience == null || wait == null || !left.isPositive()) {
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

    private Receipt sendOnce(Envelope envelope) throws IOException {
        try {
            return hive.mail().send(envelope, TypedHive.missing(call));
        } catch (NoSuchInboxException e) {
            throw NoInbox.error(call, e, "; nothing was sent");
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
