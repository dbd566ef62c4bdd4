package dev.pheromone.cli.mail;

import dev.pheromone.address.Address;
import dev.pheromone.cli.args.ShellWords;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.envelope.Ask;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.question.Question;
import dev.pheromone.question.QuestionState;
import dev.pheromone.question.SetAside;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.caller.Phrase;
import dev.pheromone.session.question.QuestionView;

import java.util.ArrayList;
import java.util.List;

/// How a question is shown to people: what it asks, what it has come to, and how to answer it.
public final class QuestionScreen {

    private QuestionScreen() {}

    /// The lines of `envelope` that say what it asks; none if it asks nothing.
    static void show(Envelope envelope, Screen screen) {
        Question question = Question.of(envelope).orElse(null);
        if (question == null) {
            return;
        }
        screen.line("asks      " + asked(question) + " for " + choices(question.ask()));
        String fallback = question.ask().fallback();
        screen.line(
                (fallback == null
                                ? "until     "
                                : "default   " + SafeText.line(fallback) + ", if nobody answers ")
                        + Ages.relative(question.endsAt(), screen.now()));
    }

    /// Who is asked.
    static String asked(Question question) {
        List<String> of = new ArrayList<>();
        for (Address address : question.of()) {
            of.add(address.toString());
        }
        return Phrase.or(of);
    }

    /// The answers that count.
    public static String choices(Ask ask) {
        List<String> words = new ArrayList<>();
        for (String choice : ask.choices()) {
            words.add(SafeText.line(choice));
        }
        if (ask.free()) {
            words.add(words.isEmpty() ? "any text" : "another text");
        }
        return Phrase.or(words);
    }

    /// What a question has come to, in a line.
    public static String state(QuestionView view, Screen screen) {
        return switch (view.state()) {
            case QuestionState.Open(var endsAt) ->
                    "open, ends " + Ages.relative(endsAt, screen.now());
            case QuestionState.Answered(var _, var answer, var by, var proof, var at) ->
                    "answered by "
                            + by
                            + " "
                            + Ages.relative(at, screen.now())
                            + ": "
                            + SafeText.line(answer)
                            + switch (proof) {
                                case KEY -> " (proven by key)";
                                case PASSKEY -> " (proven by passkey)";
                                case UNPROVEN ->
                                        view.isUnprovenByBoard()
                                                ? " (unproven, by board)"
                                                : " (unproven, anybody may have written it)";
                            };
            case QuestionState.Defaulted(var answer, var at) ->
                    "nobody answered, ended "
                            + Ages.relative(at, screen.now())
                            + "; the default holds: "
                            + SafeText.line(answer);
            case QuestionState.Expired(var at) ->
                    "nobody answered, ended " + Ages.relative(at, screen.now());
        };
    }

    /// The answers that do not count, a line each.
    static void showSetAside(QuestionView view, Screen screen) {
        for (SetAside aside : view.setAside()) {
            screen.line(
                    "ignored   an answer by "
                            + aside.answer().from()
                            + ": "
                            + SafeText.line(aside.reason()));
        }
    }

    /// The commands that answer.
    ///
    /// @param command what stands before the answer
    static void showCommands(List<String> choices, boolean isFree, String command, Screen screen) {
        screen.line("answer with:");
        for (String choice : choices) {
            screen.line("  " + command + " " + ShellWords.quote(choice));
        }
        if (isFree) {
            screen.line("  " + command + " \"…\"");
        }
    }
}
