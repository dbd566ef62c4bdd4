package dev.pheromone.session.mail;

import dev.pheromone.AwayException;
import dev.pheromone.Inbox;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.selection.Waiting;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.OpenedCopy;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Waits for the answer to an envelope that is about to be sent, by one of those who were asked.
/// The answer stays in its inbox, to be taken like any other.
public final class ReplyWait {

    private final Caller caller;
    private final OpenHive hive;
    private final Envelope question;
    private @Nullable Inbox inbox;

    /// @throws ProblemException if no answer could come
    public ReplyWait(Caller caller, OpenHive hive, Envelope question) throws IOException {
        this.caller = caller;
        this.hive = hive;
        this.question = question;
        try {
            this.inbox = open();
        } catch (WithheldException | AwayException e) {
            // Then the mail is kept, unless the lock was lifted or somebody answers again.
        }
    }

    private Inbox open() throws IOException {
        if (question.replyTo().isEmpty()) {
            hive.makeOwnInbox();
        }
        return hive.inbox(address(), "; nothing was sent");
    }

    private Address address() throws IOException {
        return question.replyTo().isPresent() ? question.replyTo().get() : hive.ownAddress();
    }

    /// What a question came to.
    public sealed interface Response {

        record Answered(OpenedCopy answer) implements Response {}

        /// Nobody answered in time.
        ///
        /// @param address where an answer will come
        /// @param notTaken why answers by others did not count, one after the other
        record Silence(Address address, List<String> notTaken) implements Response {

            public Silence {
                notTaken = List.copyOf(notTaken);
            }
        }
    }

    /// Waits for at most `patience` for an answer to what was sent.
    public Response after(Sent sent, Duration patience) throws IOException {
        Inbox at = inbox == null ? open() : inbox;
        Address address = address();
        caller.note("sent " + question.id().shortForm() + ", waiting for an answer at " + address);
        Instant deadline = caller.now().plus(patience);
        Asked asked = new Asked(hive, sent.receipt());
        Others others = new Others();
        while (true) {
            Optional<OpenedCopy> answer = look(at, asked, others);
            if (answer.isPresent()) {
                return new Response.Answered(answer.get());
            }
            Duration left = Duration.between(caller.now(), deadline);
            if (left.isNegative() || left.isZero()) {
                return new Response.Silence(address, List.copyOf(others.notTaken.values()));
            }
            await(at, left);
        }
    }

    /// Mail that is not the answer: what it is about does not change, so it is opened once.
    private static final class Others {
        private final Set<String> unrelated = new HashSet<>();
        private final Map<String, String> notTaken = new LinkedHashMap<>();
    }

    /// The answer, if it is there. Malformed mail, and mail that is still being written, is looked
    /// at again, because it may become the answer; an answer that does not count, because who
    /// answered may take the question yet.
    private Optional<OpenedCopy> look(Inbox at, Asked asked, Others others) throws IOException {
        for (Waiting waiting : at.waiting()) {
            if (!(waiting instanceof Waiting.Mail mail)
                    || others.unrelated.contains(mail.location())) {
                continue;
            }
            OpenedCopy opened = readable(at.domain(), mail).orElse(null);
            if (opened == null) {
                continue;
            }
            if (!isAbout(opened, question.id())) {
                others.unrelated.add(mail.location());
                continue;
            }
            String objection = asked.objection(opened, caller.now()).orElse(null);
            if (objection == null) {
                return Optional.of(opened);
            }
            if (others.notTaken.put(mail.location(), objection) == null) {
                caller.warn(
                        "an answer by "
                                + opened.envelope().from()
                                + " was not taken: "
                                + objection);
            }
        }
        return Optional.empty();
    }

    private Optional<OpenedCopy> readable(Domain inbox, Waiting.Mail mail) throws IOException {
        try {
            return hive.mail().opened(inbox, mail);
        } catch (ProblemException malformed) {
            return Optional.empty();
        }
    }

    private static boolean isAbout(OpenedCopy opened, EnvelopeId question) {
        return opened.envelope().correlationId().filter(question::equals).isPresent();
    }

    private void await(Inbox at, Duration left) throws IOException {
        try {
            at.await(left);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting");
        }
    }
}
