package dev.pheromone.cli.mail;

import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.MailOptions;
import dev.pheromone.cli.frame.OutputClosedException;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.session.Session;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.OpenedCopy;
import dev.pheromone.session.hive.OwnAddress;
import dev.pheromone.session.mail.Composer;
import dev.pheromone.session.mail.Draft;
import dev.pheromone.session.mail.Sent;
import dev.pheromone.session.question.QuestionView;
import dev.pheromone.session.question.Questions;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;

/// `rsm reply`: an answer to where the envelope says, or to its sender.
public final class ReplyCommand implements HiveCommand {

    @Override
    public Spec spec() {
        return MailOptions.addTo(
                        Spec.of("reply", Group.AGENTS, "answers an envelope")
                                .usage("rsm reply ID [BODY|-] [options]")
                                .required(
                                        "ID",
                                        "the envelope to answer, or the last characters of its id")
                                .optional(
                                        "BODY|-",
                                        "the text, Markdown; - reads it from standard input"))
                .opt(Opt.flag("comment", "say something of a question that does not answer it"))
                .note(
                        "A reply to a question answers it: its first line is one of the choices, or"
                                + " any text where the question takes that.")
                .example("rsm reply k3f9x2 yes", "answers a question")
                .example("rsm reply k3f9x2 \"done in 4f2c1ab\"", "answers its sender")
                .example(
                        "rsm reply k3f9x2 - --priority P0 < report.md",
                        "answers with the text of a file")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        Session session = new Session(call, hive);
        OpenedCopy request = session.peek(String.valueOf(call.args().operand(0)));
        TypedMail mail = new TypedMail(call, hive);
        byte[] body = mail.body(1);
        Draft draft =
                mail.draft(body)
                        .answering(
                                call.args().has("comment")
                                        ? Draft.Answering.NO
                                        : Draft.Answering.YES);
        if (call.page() != null) {
            draft = draft.tags(List.of(QuestionView.BY_BOARD));
        }
        Envelope reply =
                new Composer(call, hive)
                        .reply(
                                request.envelope(),
                                OwnAddress.forAnswerTo(request.envelope(), hive),
                                draft,
                                null);
        boolean isWaitedFor = call.args().has("wait-reply") || call.args().has("wait-for");
        if (reply.answer().isEmpty() || isWaitedFor) {
            return SendAndWait.run(call, hive, reply);
        }
        session.proveAnswer(request, reply);
        Sent sent = session.send(reply, SendAndWait.how(call));
        SentAnswer answer = SentAnswer.of(call, sent);
        Questions.Fate fate = session.answered(request, sent).orElse(null);
        if (fate == null) {
            return answer;
        }
        fate.objection().ifPresent(why -> call.warn("your answer does not count: " + why));
        return new Answered(answer, fate);
    }

    /// An answer that was sent, and what came of it.
    private record Answered(SentAnswer sent, Questions.Fate fate) implements Answer {

        @Override
        public Json.Obj json() {
            Json.Obj json =
                    sent.json()
                            .put("counts", fate.objection().isEmpty())
                            .putIfPresent("reason", fate.objection());
            return json.put("question", fate.view().json());
        }

        @Override
        public void show(Screen screen) {
            sent.show(screen);
            if (fate.objection().isEmpty()) {
                screen.line(
                        fate.view().question().id().shortForm()
                                + " is answered: "
                                + SafeText.line(fate.view().answer().orElse("")));
            }
        }

        @Override
        public void showBriefly(Screen screen) {
            sent.showBriefly(screen);
        }

        @Override
        public @Nullable CliException unwritten(Invocation call, OutputClosedException why) {
            return sent.unwritten(call, why);
        }
    }
}
