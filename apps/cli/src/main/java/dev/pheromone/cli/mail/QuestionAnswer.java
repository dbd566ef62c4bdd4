package dev.pheromone.cli.mail;

import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.OutputClosedException;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.session.question.QuestionView;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

/// What a question has come to.
///
/// @param sent the question, if it was sent just now; else null
record QuestionAnswer(@Nullable SentAnswer sent, QuestionView view) implements Answer {

    @Override
    public Json.Obj json() {
        Json.Obj json = sent == null ? view.json() : sent.json().putAll(view.json());
        return view.reply() == null ? json : json.put("reply", view.reply().json());
    }

    @Override
    public void show(Screen screen) {
        if (sent != null && view.isOpen()) {
            sent.show(screen);
            // Of a question that went away, only a wait for its answer knows what became of it.
            screen.line(
                    sent.via() == null
                            ? "what became of it:  rsm ask --status "
                                    + view.question().id().shortForm()
                            : "the answer comes as mail; with --wait DURATION it is waited for");
            return;
        }
        screen.line(view.question().id().shortForm() + " " + QuestionScreen.state(view, screen));
        QuestionScreen.showSetAside(view, screen);
        if (view.reply() != null) {
            screen.blank();
            CopyScreen.show(view.reply(), screen);
        }
    }

    @Override
    public void showBriefly(Screen screen) {
        if (sent != null && view.isOpen()) {
            sent.showBriefly(screen);
        } else {
            screen.line(SafeText.line(view.answer().orElse(view.state().word())));
        }
    }

    @Override
    public @Nullable CliException unwritten(Invocation call, OutputClosedException why) {
        return sent == null ? null : sent.unwritten(call, why);
    }
}
