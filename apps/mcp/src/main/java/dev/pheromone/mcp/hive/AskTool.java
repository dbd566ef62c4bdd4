package dev.pheromone.mcp.hive;

import dev.pheromone.envelope.Ask;
import dev.pheromone.mcp.Call;
import dev.pheromone.question.QuestionState;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.session.hive.OpenedCopy;
import dev.pheromone.session.mail.Draft;
import dev.pheromone.session.question.QuestionView;
import dev.pheromone.text.Json;
import dev.pheromone.text.ShownText;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// `ask`: a question, and what it came to.
final class AskTool implements Tool {

    @Override
    public Told run(Session session, Arguments said, Setting setting, Call call)
            throws IOException {
        Session.Patience patience =
                new Session.Patience(
                        Duration.ofSeconds(said.count(TakeTool.WAIT, 0, TakeTool.WAIT_S_MAX)),
                        call::isOver);
        Instant now = setting.caller().now();
        String id = said.text("id");
        boolean isNew = said.has("to") && said.has("question");
        if (isNew == (id != null) || (id != null && (said.has("to") || said.has("question")))) {
            throw new ProblemException(
                    Code.USAGE,
                    "expected to and question for a new question, or id for what became of one");
        }
        if (id != null) {
            return told(session.question(id, patience), now);
        }
        Session.Asked asked =
                session.ask(
                        Arguments.address("to", said.required("to")),
                        new Draft(SendTool.bytes(said.required("question")))
                                .ask(ask(said, now))
                                .defaultMeant(said.flag("default_permits")),
                        patience);
        Told sent = SendTool.told(asked.sent());
        QuestionView view = asked.view().orElse(null);
        if (view == null) {
            return sent;
        }
        Told state = told(view, now);
        return new Told(
                sent.text() + state.text(),
                sent.json().putAll(state.json()),
                sent.isError(),
                sent.unsent());
    }

    private static Ask ask(Arguments said, Instant now) {
        List<String> choices = said.texts("choices");
        Duration open = said.duration("deadline");
        String fallback = said.text("default");
        try {
            Ask ask =
                    new Ask(
                            choices,
                            choices.isEmpty(),
                            null,
                            open == null ? null : now.plus(open),
                            List.of());
            return fallback == null ? ask : ask.withDefault(fallback);
        } catch (IllegalArgumentException e) {
            throw new ProblemException(Code.USAGE, "ask: " + e.getMessage(), e);
        }
    }

    private static Told told(QuestionView view, Instant now) {
        String id = view.question().id().shortForm();
        String text =
                switch (view.state()) {
                    case QuestionState.Open(var endsAt) ->
                            id
                                    + " is open and ends "
                                    + Ages.relative(endsAt, now)
                                    + "; the answer comes as mail\n";
                    case QuestionState.Answered answered -> answered(view, answered);
                    case QuestionState.Defaulted(var answer, var _) ->
                            "nobody answered "
                                    + id
                                    + "; the default holds: "
                                    + ShownText.line(answer)
                                    + "\n";
                    case QuestionState.Expired _ -> "nobody answered " + id + " in time\n";
                };
        return Told.of(text, shown(view.json()));
    }

    /// A choice is the asker's own word; any other text is somebody else's, and stands in a frame.
    private static String answered(QuestionView view, QuestionState.Answered answered) {
        String by =
                view.question().id().shortForm()
                        + " was answered by "
                        + ShownText.line(answered.by().name())
                        + " (proof: "
                        + answered.proof()
                        + ")";
        OpenedCopy reply = view.reply();
        return view.question().ask().choices().contains(answered.answer()) || reply == null
                ? by + ": " + ShownText.line(answered.answer()) + "\n"
                : by + ":\n" + Shown.of(reply, 1).text();
    }

    private static Json.Obj shown(Json.Obj json) {
        return json.has("answer") ? json.put("answer", ShownText.line(json.text("answer"))) : json;
    }
}
