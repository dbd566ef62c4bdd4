package dev.pheromone.cli.mail;

import dev.pheromone.Inbox;
import dev.pheromone.address.Address;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.OutputClosedException;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.selection.Waiting;
import dev.pheromone.session.Letter;
import dev.pheromone.session.Lookup;
import dev.pheromone.session.OpenHive;
import dev.pheromone.session.ProblemException;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/// Waits for the answer to an envelope that was just sent, by one of those who were asked. The
/// answer stays in its inbox, to be taken like any other.
final class ReplyWait {

    private final Invocation call;
    private final OpenHive hive;
    private final Address address;
    private final Inbox inbox;
    private final Duration patience;

    private ReplyWait(
            Invocation call, OpenHive hive, Address address, Inbox inbox, Duration patience) {
        this.call = call;
        this.hive = hive;
        this.address = address;
        this.inbox = inbox;
        this.patience = patience;
    }

    /// The wait for an answer to `envelope`, which is not sent yet; fails if no answer could come.
    static ReplyWait forAnswerTo(Envelope envelope, Invocation call, OpenHive hive)
            throws IOException {
        Duration patience = Objects.requireNonNull(call.args().duration("wait-reply"));
        Address address = envelope.replyTo().orElse(null);
        if (address == null) {
            hive.makeOwnInbox();
            address = hive.ownAddress();
        }
        Inbox inbox = hive.inbox(address, "; nothing was sent");
        return new ReplyWait(call, hive, address, inbox, patience);
    }

    Answer after(SentAnswer sent) throws IOException {
        EnvelopeId question = sent.envelope().id();
        call.note("sent " + question.shortForm() + ", waiting for an answer at " + address);
        Instant deadline = call.now().plus(patience);
        Asked asked = new Asked(hive, sent.receipt());
        Others others = new Others();
        while (true) {
            Optional<Letter> answer = look(question, asked, others);
            if (answer.isPresent()) {
                return new Answered(sent, answer.get());
            }
            Duration left = Duration.between(call.now(), deadline);
            if (left.isNegative() || left.isZero()) {
                CliException nothing =
                        new CliException(
                                        ErrorCode.NOTHING,
                                        "no answer to "
                                                + question.shortForm()
                                                + " within "
                                                + Ttl.format(patience)
                                                + others.told())
                                .hint(
                                        "it was sent, and an answer will come to "
                                                + address
                                                + "; to wait on without sending it twice:")
                                .fix(sent.commandAgain(call));
                sent.json().forEach(nothing::detail);
                throw nothing;
            }
            await(left);
        }
    }

    /// Mail that is not the answer: what it is about does not change, so it is opened once.
    private static final class Others {
        private final Set<String> unrelated = new HashSet<>();
        private final Map<String, String> notTaken = new LinkedHashMap<>();

        String told() {
            StringBuilder text = new StringBuilder();
            notTaken.forEach((_, why) -> text.append("; an answer was not taken: ").append(why));
            return text.toString();
        }
    }

    /// The answer, if it is there. Malformed mail, and mail that is still being written, is looked
    /// at again, because it may become the answer; an answer that does not count, because who
    /// answered may take the question yet.
    private Optional<Letter> look(EnvelopeId question, Asked asked, Others others)
            throws IOException {
        for (Waiting waiting : inbox.waiting()) {
            if (!(waiting instanceof Waiting.Mail mail)
                    || others.unrelated.contains(mail.location())) {
                continue;
            }
            Letter letter = readable(mail).orElse(null);
            if (letter == null) {
                continue;
            }
            if (!isAbout(letter, question)) {
                others.unrelated.add(mail.location());
                continue;
            }
            String objection = asked.objection(letter, call.now()).orElse(null);
            if (objection == null) {
                return Optional.of(letter);
            }
            if (others.notTaken.put(mail.location(), objection) == null) {
                call.warn(
                        "an answer by "
                                + letter.envelope().from()
                                + " was not taken: "
                                + SafeText.line(objection));
            }
        }
        return Optional.empty();
    }

    private Optional<Letter> readable(Waiting.Mail mail) throws IOException {
        try {
            return new Lookup(hive).open(inbox.domain(), mail);
        } catch (ProblemException malformed) {
            return Optional.empty();
        }
    }

    private static boolean isAbout(Letter letter, EnvelopeId question) {
        return letter.envelope().correlationId().filter(question::equals).isPresent();
    }

    private void await(Duration left) throws IOException {
        try {
            inbox.await(left);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting");
        }
    }

    /// What was sent, and the answer to it.
    private record Answered(SentAnswer sent, Letter answer) implements Answer {

        @Override
        public Json.Obj json() {
            return sent.json().put("reply", answer.json());
        }

        @Override
        public @Nullable CliException unwritten(Invocation call, OutputClosedException why) {
            return sent.unwritten(call, why);
        }

        @Override
        public void show(Screen screen) {
            LetterScreen.show(answer, screen);
        }

        @Override
        public void showBriefly(Screen screen) {
            screen.body(answer.envelope().bodyText(), answer.envelope().from().name());
        }
    }
}
