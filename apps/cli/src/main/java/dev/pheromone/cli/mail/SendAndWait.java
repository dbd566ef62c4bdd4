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
import dev.pheromone.session.mail.ReplyWait;
import dev.pheromone.session.mail.ReplyWait.Response;
import dev.pheromone.session.mail.Sending;
import dev.pheromone.session.mail.Sent;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;

/// Sends mail as the options of `rsm send` say, and waits for what they name: an answer, or the end
/// of the work.
final class SendAndWait {

    private SendAndWait() {}

    static Answer run(Invocation call, OpenHive hive, Envelope envelope) throws IOException {
        Session session = new Session(call, hive);
        EndWait end = EndWait.asked(call, hive);
        Duration patience = call.args().duration("wait-reply");
        if (end != null) {
            return end.after(SentAnswer.of(call, session.send(envelope, how(call))));
        }
        if (patience == null) {
            return SentAnswer.of(call, session.send(envelope, how(call)));
        }
        ReplyWait wait = session.awaiting(envelope);
        Sent sent = session.send(envelope, how(call));
        SentAnswer answer = SentAnswer.of(call, sent);
        if (answer.isSpooled()) {
            throw answer.unanswered();
        }
        return switch (wait.after(sent, patience)) {
            case Response.Answered(var opened) -> new Answered(answer, opened);
            case Response.Silence silence -> throw silent(call, answer, silence, patience);
        };
    }

    private static Sending how(Invocation call) {
        Duration patience = call.args().duration("retry-for");
        return new Sending(TypedHive.missing(call), patience == null ? Duration.ZERO : patience);
    }

    private static CliException silent(
            Invocation call, SentAnswer sent, Response.Silence silence, Duration patience) {
        StringBuilder message = new StringBuilder("no answer to ");
        message.append(sent.envelope().id().shortForm())
                .append(" within ")
                .append(Ttl.format(patience));
        silence.notTaken()
                .forEach(why -> message.append("; an answer was not taken: ").append(why));
        CliException nothing =
                new CliException(ErrorCode.NOTHING, message.toString())
                        .hint(
                                "it was sent, and an answer will come to "
                                        + silence.address()
                                        + "; to wait on without sending it twice:")
                        .fix(sent.commandAgain(call));
        sent.json().forEach(nothing::detail);
        return nothing;
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
