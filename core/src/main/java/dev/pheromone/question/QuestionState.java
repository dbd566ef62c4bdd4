package dev.pheromone.question;

import dev.pheromone.address.Actor;
import dev.pheromone.envelope.EnvelopeId;

import java.time.Instant;

/// What a question has come to.
public sealed interface QuestionState {

    /// The word on the wire.
    String word();

    /// An answer may still come, before `endsAt`.
    record Open(Instant endsAt) implements QuestionState {
        @Override
        public String word() {
            return "open";
        }
    }

    /// Somebody who was asked has answered; that stays so.
    ///
    /// @param id of the mail that brought the answer
    record Answered(EnvelopeId id, String answer, Actor by, Proof proof, Instant at)
            implements QuestionState {
        @Override
        public String word() {
            return "answered";
        }
    }

    /// Nobody answered in time, and this holds instead.
    record Defaulted(String answer, Instant at) implements QuestionState {
        @Override
        public String word() {
            return "defaulted";
        }
    }

    /// Nobody answered in time, and nothing holds instead.
    record Expired(Instant at) implements QuestionState {
        @Override
        public String word() {
            return "expired";
        }
    }
}
