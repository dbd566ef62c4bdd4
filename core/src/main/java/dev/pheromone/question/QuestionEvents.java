package dev.pheromone.question;

import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.rse.RseEvent;

import java.time.Instant;
import java.util.Optional;

/// The events in the course of a question. They say no more than ids, names, and an answer that the
/// question itself offered; an answer in somebody's own words stays in its mail.
public final class QuestionEvents {

    private QuestionEvents() {}

    /// Somebody asks.
    ///
    /// @param now when somebody tells the log of it
    public static RseEvent asked(Envelope question, Question asked, Instant now) {
        return new RseEvent.QuestionAsked(
                        now,
                        question.lane(),
                        asked.asker(),
                        asked.id(),
                        asked.of().stream().map(Object::toString).toList(),
                        asked.endsAt())
                .withConsent(question.consent());
    }

    /// What `state` means for the log; empty for what is not told.
    public static Optional<RseEvent> of(
            Envelope question, Question asked, QuestionState state, Instant now) {
        Lane lane = question.lane();
        RseEvent event =
                switch (state) {
                    case QuestionState.Open _, QuestionState.Expired _ -> null;
                    case QuestionState.Answered(var id, var said, var by, var proof, var at) ->
                            new RseEvent.QuestionAnswered(
                                    now,
                                    lane,
                                    by,
                                    asked.id(),
                                    id,
                                    asked.ask().choices().contains(said) ? said : null,
                                    proof.toString(),
                                    at);
                    case QuestionState.Defaulted(var answer, var at) ->
                            new RseEvent.QuestionDefaulted(
                                    now, lane, asked.asker(), asked.id(), answer, at);
                };
        return event == null
                ? Optional.empty()
                : Optional.of(event.withConsent(question.consent()));
    }
}
