package dev.pheromone.cli.mail;

import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.OutputClosedException;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.frame.TypedHive;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.session.Session;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.OpenedCopy;
import dev.pheromone.session.mail.Sending;
import dev.pheromone.session.mail.Sent;
import dev.pheromone.session.question.AnswerWait;
import dev.pheromone.session.question.QuestionView;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;

/// Sends mail as the options of `rsm send` say, and waits for what they name: an answer, or how far
/// the mail is to come.
final class SendAndWait {

    private SendAndWait() {}

    static Answer run(Invocation call, OpenHive hive, Envelope envelope) throws IOException {
        Session session = new Session(call, hive);
        EndWait end = EndWait.asked(call, hive);
        Duration patience = patience(call);
        if (end != null) {
            Sent sent = session.send(envelope, how(call));
            return end.after(session, SentAnswer.of(call, sent), sent);
        }
        if (patience == null) {
            SentAnswer sent = SentAnswer.of(call, session.send(envelope, how(call)));
            // To ask is to want to know; to send mail with choices in it may not be.
            return call.declares("status") ? asked(session, sent) : sent;
        }
        AnswerWait wait = session.awaiting(envelope);
        SentAnswer sent = SentAnswer.of(call, session.send(envelope, how(call)));
        if (sent.isSpooled()) {
            throw sent.unanswered();
        }
        call.note(
                "sent "
                        + envelope.id().shortForm()
                        + ", waiting for an answer at "
                        + wait.address());
        return forAnswer(call, wait, sent);
    }

    private static Answer asked(Session session, SentAnswer sent) throws IOException {
        QuestionView unanswered = QuestionView.unanswered(sent.envelope()).orElseThrow();
        return new QuestionAnswer(
                sent,
                // What did not arrive has no answer, and under a lock nothing is looked at. Sent
                // again by its id, the question may have one.
                sent.hasArrived()
                        ? session.question(sent.envelope()).orElse(unanswered)
                        : unanswered);
    }

    /// How long an answer is waited for; null if it is not.
    private static @Nullable Duration patience(Invocation call) {
        return call.args().duration(call.declares("wait-reply") ? "wait-reply" : "wait");
    }

    /// Waits for an answer.
    ///
    /// @param sent the question, if it was sent just now; else null
    static Answer forAnswer(Invocation call, AnswerWait wait, @Nullable SentAnswer sent)
            throws IOException {
        Duration patience = patience(call);
        AnswerWait.Response response = wait.within(patience == null ? Duration.ZERO : patience);
        QuestionView view = response.view();
        boolean isQuestion = view.envelope().ask().isPresent();
        if (view.answer().isEmpty()) {
            throw silent(call, sent, wait, response);
        }
        OpenedCopy reply = view.reply();
        return isQuestion || sent == null || reply == null
                ? new QuestionAnswer(sent, view)
                : new Answered(sent, reply);
    }

    /// How often to try.
    static Sending how(Invocation call) {
        Duration patience = call.args().duration("retry-for");
        return new Sending(TypedHive.missing(call), patience == null ? Duration.ZERO : patience);
    }

    private static CliException silent(
            Invocation call,
            @Nullable SentAnswer sent,
            AnswerWait wait,
            AnswerWait.Response response)
            throws IOException {
        QuestionView view = response.view();
        String id = view.question().id().shortForm();
        boolean isQuestion = view.envelope().ask().isPresent();
        boolean hasEnded = isQuestion && !view.isOpen();
        Duration patience = patience(call);
        StringBuilder message = new StringBuilder("no answer to ").append(id);
        message.append(
                hasEnded || patience == null
                        ? " before the question ended"
                        : " within " + Ttl.format(patience));
        response.notTaken()
                .forEach(why -> message.append("; an answer was not taken: ").append(why));
        CliException nothing = new CliException(ErrorCode.NOTHING, message.toString());
        if (!hasEnded) {
            nothing.hint(
                    "it was sent, and an answer will come to "
                            + wait.address()
                            + "; to wait on without sending it twice:");
            nothing.fix(
                    sent == null || (isQuestion && sent.via() == null)
                            ? "rsm ask --status " + id + " --wait " + patience(call, "30m")
                            : sent.commandAgain(call));
        }
        if (sent != null) {
            sent.json().forEach(nothing::detail);
        }
        if (isQuestion) {
            view.json().forEach(nothing::detail);
        }
        return nothing;
    }

    private static String patience(Invocation call, String otherwise) {
        Duration patience = patience(call);
        return patience == null ? otherwise : Ttl.format(patience);
    }

    /// What was sent, and the answer to it.
    private record Answered(SentAnswer sent, OpenedCopy answer) implements Answer {

        @Override
        public Json.Obj json() {
            return sent.json().put("reply", answer.json());
        }

        @Override
        public @Nullable CliException unwritten(Invocation call, OutputClosedException why) {
            return sent.unwritten(call, why);
        }

        @Override
        public void show(Screen screen) {
            CopyScreen.show(answer, screen);
        }

        @Override
        public void showBriefly(Screen screen) {
            screen.body(answer);
        }
    }
}
