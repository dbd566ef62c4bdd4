package dev.pheromone.session.question;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Header;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.question.Question;
import dev.pheromone.question.StoredAnswer;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.OpenedCopy;
import dev.pheromone.session.hive.OwnAddress;
import dev.pheromone.session.hive.StoredMail;
import dev.pheromone.session.passkey.AssertionRecords;
import dev.pheromone.trust.Key;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Where the answers to one question come in, and what came.
final class AnswerBox {

    /// How far the clock of an asker on another machine may be ahead of this hive's: so much
    /// earlier than the question says answers are looked for.
    static final Duration CLOCK_SKEW_MAX = Duration.ofMinutes(10);

    private final OpenHive hive;
    private final Envelope envelope;
    private final Question question;

    /// Whether mail without the field `answer` is an answer, too.
    private final boolean isAnyMail;

    /// Where mail lies that is no answer to this question: what it is about does not change, so it
    /// is opened once.
    private final Set<String> unrelated = new HashSet<>();

    /// The mail of the last look, by the ids of the answers.
    private final Map<EnvelopeId, OpenedCopy> copies = new HashMap<>();

    /// What people gave by a passkey, as of the last look; null if nobody has asked yet.
    private AssertionRecords.@Nullable Answers asserted;

    private AnswerBox(OpenHive hive, Envelope envelope, Question question, boolean isAnyMail) {
        this.hive = hive;
        this.envelope = envelope;
        this.question = question;
        this.isAnyMail = isAnyMail;
    }

    /// The box of what `envelope` asks; of mail that asks nothing, of any mail in return.
    static AnswerBox of(OpenHive hive, Envelope envelope) {
        Optional<Question> asked = Question.of(envelope);
        return new AnswerBox(
                hive,
                envelope,
                asked.orElseGet(() -> Question.ofAnyMail(envelope)),
                asked.isEmpty());
    }

    Envelope envelope() {
        return envelope;
    }

    Question question() {
        return question;
    }

    boolean isAnyMail() {
        return isAnyMail;
    }

    /// What the question has come to, by what is stored now.
    Question.Outcome look(Instant now) throws IOException {
        List<StoredAnswer> answers = new ArrayList<>();
        copies.clear();
        asserted = null;
        Instant since = envelope.ts().minus(CLOCK_SKEW_MAX);
        for (Domain inbox : inboxes(hive, envelope)) {
            try {
                List<StoredMail> stored =
                        isAnyMail
                                ? hive.mail().storedAndWaiting(inbox, this::isWanted)
                                : hive.mail().stored(inbox, since, this::isWanted);
                for (StoredMail mail : stored) {
                    add(mail, answers);
                }
            } catch (NoSuchInboxException e) {
                // It was taken away meanwhile, with what was in it.
            }
        }
        return question.look(answers, this::hasKey, now);
    }

    /// The mail that brought an answer of the last look.
    OpenedCopy copy(EnvelopeId answer) {
        OpenedCopy copy = copies.get(answer);
        if (copy == null) {
            throw new IllegalArgumentException("answer " + answer + " was not found");
        }
        return copy;
    }

    private boolean isWanted(Header header, String location) {
        return (isAnyMail || header.answer())
                && !header.id().equals(question.id())
                && !unrelated.contains(location);
    }

    private void add(StoredMail mail, List<StoredAnswer> answers) throws IOException {
        OpenedCopy copy = mail.copy();
        Envelope answer = copy.envelope();
        boolean isAbout = answer.correlationId().filter(question.id()::equals).isPresent();
        if (!isAbout || (!isAnyMail && answer.answer().isEmpty())) {
            unrelated.add(copy.path());
            return;
        }
        OpenedCopy other = copies.get(answer.id());
        if (other != null && other.envelope().isSameMailAs(answer)) {
            // It moved on while we looked.
            return;
        }
        copies.putIfAbsent(answer.id(), copy);
        answers.add(
                StoredAnswer.of(
                        answer,
                        answer.answer().orElse(""),
                        mail.at(),
                        hive.trust().check(answer, mail.at(), hive.config().signatures()),
                        hasTaken(answer.from()),
                        isAsserted(answer)));
    }

    /// Whether the log has it that a person's passkey stands for `answer`. Only who has a passkey
    /// is looked for there.
    private boolean isAsserted(Envelope answer) throws IOException {
        if (hive.trust().passkeys().stream()
                .noneMatch(passkey -> passkey.actor().equals(answer.from()))) {
            return false;
        }
        AssertionRecords.Answers known = asserted;
        if (known == null) {
            try {
                known = AssertionRecords.answers(hive.log(), hive.trust(), question.id().text());
            } catch (WithheldException e) {
                // Under a lock nobody knows, and what is not known is unproven.
                return false;
            }
            asserted = known;
        }
        return known.has(answer);
    }

    private boolean hasKey(Actor actor, Instant at) {
        for (Key key : hive.trust().keys()) {
            if (key.belongsTo(actor) && key.isLive(at)) {
                return true;
            }
        }
        return false;
    }

    /// Whether `actor` has taken the question where it went to a domain.
    private boolean hasTaken(Actor actor) throws IOException {
        for (Address address : question.of()) {
            boolean isDomain =
                    address instanceof Address.Queen || address instanceof Address.OfLane;
            for (Domain domain : isDomain ? domainsOf(hive, address) : List.<Domain>of()) {
                if (hive.mail().mayHaveTaken(actor, question.id(), domain)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static List<Domain> domainsOf(OpenHive hive, Address address) {
        return address instanceof Address.OfLane(var lane)
                ? hive.config().domainsOf(lane)
                : List.of(address.domain());
    }

    /// The inboxes to which mail in return to `envelope` may go: an actor has an address for a
    /// person, and one for a worker.
    static List<Domain> inboxes(OpenHive hive, Envelope envelope) throws IOException {
        if (envelope.replyTo().isPresent()) {
            List<Domain> meant = domainsOf(hive, envelope.replyTo().get());
            return meant.size() == 1 && hive.mail().hasInbox(meant.getFirst()) ? meant : List.of();
        }
        String name = OwnAddress.name(envelope.from());
        List<Domain> inboxes = new ArrayList<>();
        for (Address address : List.of(new Address.Worker(name), new Address.User(name))) {
            if (hive.mail().hasInbox(address.domain())) {
                inboxes.add(address.domain());
            }
        }
        return inboxes;
    }
}
