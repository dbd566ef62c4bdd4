package dev.pheromone.question;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.envelope.Ask;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.trust.SignatureCheck;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// A question, and the rule by which an answer counts: the first valid one that was stored wins.
///
/// @param asker who wants to know
/// @param of the addresses of those who are asked
/// @param endsAt from when on no answer counts any more, by the clock of the asker's hive
public record Question(EnvelopeId id, Actor asker, Ask ask, List<Address> of, Instant endsAt) {

    public Question {
        of = List.copyOf(of);
    }

    /// Who has a key that somebody trusts.
    public interface Keys {
        boolean has(Actor actor, Instant at);
    }

    /// What a question has come to, and the answers that do not count.
    public record Outcome(QuestionState state, List<SetAside> setAside) {

        public Outcome {
            setAside = List.copyOf(setAside);
        }
    }

    /// The question that `envelope` asks; empty if it asks none.
    public static Optional<Question> of(Envelope envelope) {
        return envelope.ask().map(ask -> of(envelope, ask));
    }

    /// The question that `envelope` is taken for by somebody who waits for any mail in return.
    public static Question ofAnyMail(Envelope envelope) {
        return of(envelope, new Ask(List.of(), true, null, null, List.of()));
    }

    private static Question of(Envelope envelope, Ask ask) {
        return new Question(
                envelope.id(),
                envelope.from(),
                ask,
                ask.of().isEmpty() ? envelope.to() : ask.of(),
                endOf(envelope, ask.deadline()));
    }

    private static Instant endOf(Envelope envelope, @Nullable Instant deadline) {
        Instant end = envelope.expiresAt();
        return deadline != null && deadline.isBefore(end) ? deadline : end;
    }

    /// What it has come to.
    ///
    /// @param answers all that were stored, in any order
    /// @param now by the clock of the asker's hive
    public Outcome look(List<StoredAnswer> answers, Keys keys, Instant now) {
        List<StoredAnswer> inOrder = new ArrayList<>(answers);
        inOrder.sort(Comparator.comparing(StoredAnswer::storedAt).thenComparing(StoredAnswer::id));
        QuestionState.@Nullable Answered answered = null;
        List<SetAside> setAside = new ArrayList<>();
        for (StoredAnswer answer : inOrder) {
            SetAside objection = objection(answer, keys, answered);
            if (objection != null) {
                setAside.add(objection);
                continue;
            }
            answered =
                    new QuestionState.Answered(
                            answer.id(),
                            answer.text(),
                            answer.from(),
                            Proof.of(answer),
                            answer.storedAt());
        }
        return new Outcome(answered == null ? unanswered(now) : answered, setAside);
    }

    private QuestionState unanswered(Instant now) {
        if (now.isBefore(endsAt)) {
            return new QuestionState.Open(endsAt);
        }
        String fallback = ask.fallback();
        return fallback == null
                ? new QuestionState.Expired(endsAt)
                : new QuestionState.Defaulted(fallback, endsAt);
    }

    /// What speaks against `answer`; null if nothing does.
    ///
    /// @param earlier the answer that counts already, or null
    private @Nullable SetAside objection(
            StoredAnswer answer, Keys keys, QuestionState.@Nullable Answered earlier) {
        if (!answer.hashMatches()) {
            return new SetAside(answer, SetAside.Why.HASH, "its hash doesn't match the body");
        }
        if (answer.check() instanceof SignatureCheck.Bad(var reason)) {
            return new SetAside(answer, SetAside.Why.SIGNATURE, reason);
        }
        if (!isAsked(answer, keys)) {
            return new SetAside(
                    answer,
                    SetAside.Why.NOT_ASKED,
                    answer.from() + " was not asked: the question went to " + addresses());
        }
        if (!ask.allows(answer.text())) {
            return new SetAside(answer, SetAside.Why.CHOICE, "it is none of " + ask.choices());
        }
        if (earlier != null) {
            return new SetAside(answer, SetAside.Why.LATE, "answered already by " + earlier.by());
        }
        if (!answer.storedAt().isBefore(endsAt)) {
            return new SetAside(answer, SetAside.Why.LATE, "the question had ended by then");
        }
        return null;
    }

    private boolean isAsked(StoredAnswer answer, Keys keys) {
        for (Address address : of) {
            boolean isAsked =
                    switch (address) {
                        case Address.User(var name) -> isOwner(name, answer, keys);
                        case Address.Worker(var name) -> isOwner(name, answer, keys);
                        // For whoever takes it.
                        case Address.Queen _, Address.OfLane _ -> answer.hasTaken();
                    };
            if (isAsked) {
                return true;
            }
        }
        return false;
    }

    /// Whether mail to `name` is mail to whoever answered. Several actors share an address if their
    /// names differ in capitals or dots; the one of exactly that name, if a key proves who that is,
    /// shares it with nobody.
    private static boolean isOwner(String name, StoredAnswer answer, Keys keys) {
        String actor = answer.from().name();
        return actor.equals(name)
                || (actor.toLowerCase(Locale.ROOT).replace('.', '-').equals(name)
                        && !keys.has(new Actor(name), answer.storedAt()));
    }

    private String addresses() {
        List<String> addresses = new ArrayList<>();
        for (Address address : of) {
            boolean isDomain =
                    address instanceof Address.Queen || address instanceof Address.OfLane;
            addresses.add(isDomain ? address + ", who has taken it there" : address.toString());
        }
        return String.join(", ", addresses);
    }
}
