package dev.pheromone.session.question;

import dev.pheromone.envelope.Envelope;
import dev.pheromone.question.Proof;
import dev.pheromone.question.Question;
import dev.pheromone.question.QuestionState;
import dev.pheromone.question.SetAside;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.OpenedCopy;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A question, and what it has come to at one moment.
///
/// @param envelope the mail that asks it
/// @param setAside the answers that do not count
/// @param reply the mail with the answer that counts; null if there is none
public record QuestionView(
        Envelope envelope,
        Question question,
        QuestionState state,
        List<SetAside> setAside,
        @Nullable OpenedCopy reply) {

    /// The tag of mail that was written on the board: its sender's own word, and no proof.
    public static final String BY_BOARD = "board";

    public QuestionView {
        setAside = List.copyOf(setAside);
    }

    /// What `envelope` asks, and what that has come to; empty if it asks nothing.
    public static Optional<QuestionView> of(OpenHive hive, Envelope envelope, Instant now)
            throws IOException {
        return envelope.ask().isEmpty()
                ? Optional.empty()
                : Optional.of(of(AnswerBox.of(hive, envelope), now));
    }

    /// What `envelope` asks, as if nobody had answered yet; empty if it asks nothing.
    public static Optional<QuestionView> unanswered(Envelope envelope) {
        return Question.of(envelope)
                .map(question ->
                        new QuestionView(
                                envelope,
                                question,
                                new QuestionState.Open(question.endsAt()),
                                List.of(),
                                null));
    }

    static QuestionView of(AnswerBox box, Instant now) throws IOException {
        Question.Outcome outcome = box.look(now);
        return new QuestionView(
                box.envelope(),
                box.question(),
                outcome.state(),
                outcome.setAside(),
                outcome.state() instanceof QuestionState.Answered answered
                        ? box.copy(answered.id())
                        : null);
    }

    /// Whether the answer is unproven, and says that it was given on the board.
    public boolean isUnprovenByBoard() {
        return state instanceof QuestionState.Answered answered
                && answered.proof() == Proof.UNPROVEN
                && reply != null
                && reply.envelope().tags().contains(BY_BOARD);
    }

    public boolean isOpen() {
        return state instanceof QuestionState.Open;
    }

    /// What holds now: the answer, or the default; empty while nothing does.
    public Optional<String> answer() {
        return switch (state) {
            case QuestionState.Answered answered -> Optional.of(answered.answer());
            case QuestionState.Defaulted(var answer, var _) -> Optional.of(answer);
            case QuestionState.Open _, QuestionState.Expired _ -> Optional.empty();
        };
    }

    /// The fields `state`, `answer`, `by` and `proof`, and what goes with them.
    public Json.Obj json() {
        Json.Obj json =
                Json.obj()
                        .put("id", question.id().text())
                        .put("state", state.word())
                        .putIfPresent("answer", answer());
        if (state instanceof QuestionState.Answered(var id, var _, var by, var proof, var at)) {
            json =
                    json.put("by", by.name())
                            .put("proof", proof.toString())
                            .put("answer_id", id.text())
                            .put("answered_at", IsoTime.format(at));
            json = isUnprovenByBoard() ? json.put("by_board", true) : json;
        }
        json =
                json.put("ends_at", IsoTime.format(question.endsAt()))
                        .putTexts("choices", question.ask().choices());
        List<Json> aside = new ArrayList<>();
        for (SetAside one : setAside) {
            aside.add(
                    Json.obj()
                            .put("id", one.answer().id().text())
                            .put("by", one.answer().from().name())
                            .put("why", one.why().toString())
                            .put("reason", one.reason()));
        }
        return json.put("set_aside", Json.arr(aside));
    }
}
