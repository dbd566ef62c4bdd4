package dev.pheromone.session.question;

import dev.pheromone.AwayException;
import dev.pheromone.Inbox;
import dev.pheromone.address.Address;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.question.SetAside;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.OpenedCopy;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/// The wait for the answer to a question, or for any mail in return to mail that asks nothing.
public final class AnswerWait {

    /// How often answers are looked for where nothing may tell that one came: it may go to either
    /// of an actor's two inboxes.
    private static final Duration LOOK_EVERY = Duration.ofSeconds(5);

    private final Caller caller;
    private final OpenHive hive;
    private final AnswerBox box;
    private @Nullable Inbox inbox;

    /// The wait for what `question` asks, which may not be sent yet.
    ///
    /// @throws dev.pheromone.session.caller.ProblemException if no answer could come
    public AnswerWait(Caller caller, OpenHive hive, Envelope question) throws IOException {
        this.caller = caller;
        this.hive = hive;
        this.box = AnswerBox.of(hive, question);
        try {
            this.inbox = open();
        } catch (WithheldException | AwayException e) {
            // Then the mail is kept, unless the lock was lifted or somebody answers again.
        }
    }

    private Inbox open() throws IOException {
        if (box.envelope().replyTo().isEmpty()) {
            hive.makeOwnInbox();
        }
        return hive.inbox(address(), "; nothing was sent");
    }

    /// Where an answer will come.
    public Address address() throws IOException {
        Envelope question = box.envelope();
        return question.replyTo().isPresent() ? question.replyTo().get() : hive.ownAddress();
    }

    /// What the wait came to.
    ///
    /// @param view what the question has come to
    /// @param notTaken why answers did not count, one after the other
    public record Response(QuestionView view, List<String> notTaken) {

        public Response {
            notTaken = List.copyOf(notTaken);
        }
    }

    /// Waits for at most `patience`, or until no answer counts any more.
    public Response within(Duration patience) throws IOException {
        return within(patience, LOOK_EVERY, () -> false);
    }

    /// As [#within(Duration)], for a caller who may go away meanwhile: then an answer stays where
    /// it is, to be taken like any other mail.
    ///
    /// @param isOver asked at least once in each `slice`: whether the caller waits no more
    public Response within(Duration patience, Duration slice, BooleanSupplier isOver)
            throws IOException {
        Inbox at = inbox == null ? open() : inbox;
        Instant deadline = caller.now().plus(patience);
        Map<String, String> notTaken = new LinkedHashMap<>();
        while (true) {
            Instant now = caller.now();
            QuestionView view = QuestionView.of(box, now);
            for (SetAside aside : view.setAside()) {
                tell(aside, notTaken);
            }
            Duration left = Duration.between(now, deadline);
            if (isOver.getAsBoolean()) {
                return new Response(view, List.copyOf(notTaken.values()));
            }
            if (!isWaitedFor(view) || left.isNegative() || left.isZero()) {
                finish(view);
                return new Response(view, List.copyOf(notTaken.values()));
            }
            await(at, least(left, slice), Duration.between(now, view.question().endsAt()));
        }
    }

    /// Mail in return may come as long as somebody waits; an answer as long as the question is
    /// open.
    private boolean isWaitedFor(QuestionView view) {
        return box.isAnyMail() ? view.reply() == null : view.isOpen();
    }

    private void tell(SetAside aside, Map<String, String> notTaken) {
        if (notTaken.put(aside.answer().id().text(), aside.reason()) == null) {
            caller.warn(
                    "an answer by " + aside.answer().from() + " was not taken: " + aside.reason());
        }
    }

    /// Tells the log, and finishes the answer in its inbox if it waits there for whoever asked. Any
    /// other mail stays where it is, to be taken like any other.
    private void finish(QuestionView view) {
        if (box.isAnyMail()) {
            return;
        }
        new QuestionLog(caller, hive).tell(view);
        OpenedCopy reply = view.reply();
        if (reply != null && view.question().asker().equals(caller.actor())) {
            WaitingCopy.finish(caller, hive, reply, "");
        }
    }

    private static Duration least(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private void await(Inbox at, Duration left, Duration untilEnd) throws IOException {
        Duration length = least(left, LOOK_EVERY);
        boolean endsSooner = untilEnd.isPositive() && untilEnd.compareTo(length) < 0;
        try {
            at.await(endsSooner ? untilEnd : length);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting");
        }
    }
}
