package dev.pheromone.cli;

import dev.pheromone.Address;
import dev.pheromone.Envelope;
import dev.pheromone.EnvelopeId;
import dev.pheromone.Inbox;
import dev.pheromone.Json;
import dev.pheromone.SignatureCheck;
import dev.pheromone.Ttl;
import dev.pheromone.Waiting;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/// Waits for the answer to an envelope that was just sent. The answer stays in its inbox, to be
/// taken like any other.
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
        EnvelopeId asked = sent.envelope().id();
        call.note("sent " + asked.shortForm() + ", waiting for an answer at " + address);
        Instant deadline = call.now().plus(patience);
        Set<String> others = new HashSet<>();
        while (true) {
            Optional<Letter> answer = look(asked, others);
            if (answer.isPresent()) {
                return new Answered(sent, answer.get());
            }
            Duration left = Duration.between(call.now(), deadline);
            if (left.isNegative() || left.isZero()) {
                CliException nothing =
                        new CliException(
                                        ErrorCode.NOTHING,
                                        "no answer to "
                                                + asked.shortForm()
                                                + " within "
                                                + Ttl.format(patience))
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

    /// The answer, if it is there. What is malformed, forged or still being written is none; it is
    /// looked at again, because it may become one.
    private Optional<Letter> look(EnvelopeId asked, Set<String> others) throws IOException {
        for (Waiting waiting : inbox.waiting()) {
            if (waiting instanceof Waiting.Mail mail && !others.contains(mail.location())) {
                Optional<Letter> letter = genuine(mail);
                if (letter.isPresent() && isAnswer(letter.get(), asked)) {
                    return letter;
                }
                letter.ifPresent(other -> others.add(other.path()));
            }
        }
        return Optional.empty();
    }

    private Optional<Letter> genuine(Waiting.Mail mail) throws IOException {
        try {
            return new Lookup(hive)
                    .open(inbox.domain(), mail)
                    .filter(letter ->
                            letter.envelope().hashMatches()
                                    && !(letter.check() instanceof SignatureCheck.Bad));
        } catch (CliException malformed) {
            return Optional.empty();
        }
    }

    private static boolean isAnswer(Letter letter, EnvelopeId asked) {
        return letter.envelope().correlationId().filter(asked::equals).isPresent();
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
            answer.show(screen);
        }

        @Override
        public void showBriefly(Screen screen) {
            screen.body(answer.envelope().bodyText(), answer.envelope().from().name());
        }
    }
}
