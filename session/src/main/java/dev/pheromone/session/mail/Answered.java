package dev.pheromone.session.mail;

import dev.pheromone.envelope.Ask;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.session.caller.Phrase;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.text.Json;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The answer that the body of a reply gives to a question: its first line that is not empty. The
/// lines below explain it.
final class Answered {

    private Answered() {}

    /// The answer to `request`; empty if the reply is not meant as one, or `request` asks nothing.
    ///
    /// @throws ProblemException if the reply must be an answer and is none
    static Optional<String> by(Envelope request, Draft draft) {
        Ask ask = request.ask().orElse(null);
        if (ask == null || draft.answering() == Draft.Answering.NO) {
            return Optional.empty();
        }
        String said = firstLine(new String(draft.body(), StandardCharsets.UTF_8));
        Optional<String> meant = ask.meant(cut(said, ask));
        if (meant.isEmpty() && draft.answering() == Draft.Answering.YES) {
            throw noAnswer(request, ask, said);
        }
        return meant;
    }

    private static String firstLine(String body) {
        for (String line : body.split("\\R", -1)) {
            if (!line.isBlank()) {
                return line.strip();
            }
        }
        return "";
    }

    /// As much of a long line as an answer holds; all of it stands in the body. Of a choice nothing
    /// is cut: its beginning may be another choice.
    private static String cut(String line, Ask ask) {
        boolean isLong = line.codePointCount(0, line.length()) > Ask.ANSWER_LENGTH_MAX;
        return ask.free() && isLong
                ? line.substring(0, line.offsetByCodePoints(0, Ask.ANSWER_LENGTH_MAX)).strip()
                : line;
    }

    private static ProblemException noAnswer(Envelope request, Ask ask, String said) {
        List<String> choices = new ArrayList<>();
        List<Json> words = new ArrayList<>();
        for (String choice : ask.choices()) {
            choices.add('"' + choice + '"');
            words.add(Json.of(choice));
        }
        String id = request.id().shortForm();
        String found = said.isEmpty() ? "found no text" : "found \"" + cutToShow(said) + '"';
        return new ProblemException(
                        Code.USAGE,
                        id
                                + " is a question: "
                                + found
                                + ", expected "
                                + (choices.isEmpty() ? "an answer" : Phrase.or(choices))
                                + "; nothing was sent")
                .hint("to say something that is no answer, add --comment")
                .detail("choices", Json.arr(words));
    }

    private static String cutToShow(String said) {
        return said.codePointCount(0, said.length()) > Ask.CHOICE_LENGTH_MAX
                ? said.substring(0, said.offsetByCodePoints(0, Ask.CHOICE_LENGTH_MAX)) + "…"
                : said;
    }
}
