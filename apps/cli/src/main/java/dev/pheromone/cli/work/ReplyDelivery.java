package dev.pheromone.cli.work;

import dev.pheromone.Claim;
import dev.pheromone.Outcome;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.address.Address;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.mail.SentAnswer;
import dev.pheromone.cli.mail.TypedMail;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.hive.Undisturbed;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.FileProblem;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.mail.Sent;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

/// Sends the answers of commands that ended well.
///
/// What such a command did is done, and nothing that happens here is a reason to do it again: an
/// answer that nobody takes is tried again while there is time, then told of, and the work is done.
final class ReplyDelivery {

    private static final Duration TRIED_MAX = Duration.ofMinutes(10);
    private static final Duration PAUSE_MIN = Duration.ofSeconds(1);
    private static final Duration PAUSE_MAX = Duration.ofMinutes(1);

    /// How much of an answer that was not delivered is kept with the outcome.
    private static final int KEPT_LENGTH_MAX = 300;

    private final Invocation call;
    private final OpenHive hive;
    private final WorkScreen screen;

    /// One answer at a time is composed: what a call remembers is made for one thread.
    private final ReentrantLock answering = new ReentrantLock();

    /// How one try ended.
    ///
    /// @param text what there is to say of the answer, or why there is none
    /// @param again how long to wait before the next; null if this was the last
    private record Try(boolean delivered, String text, @Nullable Duration again) {

        static Try done(String text) {
            return new Try(true, text, null);
        }

        static Try useless(String why) {
            return new Try(false, why, null);
        }
    }

    ReplyDelivery(Invocation call, OpenHive hive, WorkScreen screen) {
        this.call = call;
        this.hive = hive;
        this.screen = screen;
    }

    /// Sends `body` as the answer to what was claimed. To interrupt it is to have it give up.
    Outcome deliver(Claim claim, Address to, byte[] body) throws Exception {
        EnvelopeId id = EnvelopeId.ofReply(claim.envelope().id(), claim.inbox());
        long end = System.nanoTime() + TRIED_MAX.toNanos();
        Duration pause = PAUSE_MIN;
        String why;
        while (true) {
            Try tried = Undisturbed.call(() -> send(claim, to, body, id));
            if (tried.delivered()) {
                return new Outcome.Done(tried.text());
            }
            why = tried.text();
            Duration again = tried.again();
            if (again == null) {
                break;
            }
            Duration wait = again.compareTo(pause) > 0 ? again : pause;
            wait = wait.compareTo(PAUSE_MAX) > 0 ? PAUSE_MAX : wait;
            if (System.nanoTime() + wait.toNanos() - end > 0) {
                break;
            }
            if (pause.equals(PAUSE_MIN)) {
                screen.note(
                        "the answer to "
                                + claim.envelope().id().shortForm()
                                + " is not delivered yet: "
                                + why
                                + "; trying again");
            }
            pause = pause.multipliedBy(2);
            try {
                Thread.sleep(wait);
            } catch (InterruptedException e) {
                // The worker stops, or the time for this envelope is up.
                break;
            }
        }
        screen.note(
                "warning: the answer to "
                        + claim.envelope().id().shortForm()
                        + " was not delivered: "
                        + why);
        return new Outcome.Done("no reply: " + why + "; it was: " + beginning(body));
    }

    private static String beginning(byte[] body) {
        String text = SafeText.line(new String(body, StandardCharsets.UTF_8).strip());
        return text.length() > KEPT_LENGTH_MAX ? text.substring(0, KEPT_LENGTH_MAX) + "…" : text;
    }

    private Try send(Claim claim, Address to, byte[] body, EnvelopeId id) {
        answering.lock();
        try {
            Sent sent =
                    new Session(call, hive)
                            .answer(claim.envelope(), to, TypedMail.answer(call, hive, body), id);
            return ended(SentAnswer.whatever(call, sent), id);
        } catch (IOException e) {
            return new Try(false, FileProblem.describe(e), PAUSE_MIN);
        } catch (RuntimeException e) {
            // Such as an inbox that is not there: nor will it be next time.
            return Try.useless(String.valueOf(e.getMessage()));
        } finally {
            answering.unlock();
        }
    }

    private static Try ended(SentAnswer sent, EnvelopeId id) {
        switch (sent.exit()) {
            case DONE -> {
                return Try.done("replied with " + id);
            }
            case CONFLICT -> {
                // Of an earlier attempt, whose worker died before it could say that it is done.
                return Try.done("replied before with " + id);
            }
            case WITHHELD -> {
                if (sent.isKept()) {
                    return Try.done("reply " + id + " waits for a lock to be lifted");
                }
            }
            default -> {}
        }
        for (Receipt.Copy copy : sent.receipt().copies()) {
            switch (copy.result()) {
                case SendResult.Refused(var retryAfter, var reason) -> {
                    return new Try(false, copy.address() + ": " + reason, retryAfter);
                }
                case SendResult.Withheld(var lock, var reason, var _) -> {
                    return new Try(
                            false,
                            copy.address() + " is under lock " + lock.kind() + ": " + reason,
                            PAUSE_MIN);
                }
                case SendResult.Failed(var cause) -> {
                    return new Try(
                            false, copy.address() + ": " + FileProblem.describe(cause), PAUSE_MIN);
                }
                case SendResult.NotPublic(var _, var reason) -> {
                    return Try.useless(copy.address() + ": " + reason);
                }
                case SendResult.Rejected(var _, var reason) -> {
                    return Try.useless(copy.address() + ": " + reason);
                }
                case SendResult.BeyondConsent(var consent, var reach) -> {
                    return Try.useless(
                            copy.address()
                                    + ": consent is "
                                    + consent
                                    + ", and this transport reaches "
                                    + reach);
                }
                default -> {}
            }
        }
        return Try.useless("it was not accepted");
    }
}
