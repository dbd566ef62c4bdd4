package dev.pheromone.cli.mail;

import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.MailOptions;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.OpenedCopy;
import dev.pheromone.session.hive.OwnAddress;
import dev.pheromone.session.mail.Composer;

import java.io.IOException;

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
                .example("rsm reply k3f9x2 \"done in 4f2c1ab\"", "answers its sender")
                .example(
                        "rsm reply k3f9x2 - --priority P0 < report.md",
                        "answers with the text of a file")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        OpenedCopy request = hive.mail().opened(String.valueOf(call.args().operand(0)));
        TypedMail mail = new TypedMail(call, hive);
        byte[] body = mail.body(1);
        Envelope reply =
                new Composer(call, hive)
                        .reply(
                                request.envelope(),
                                OwnAddress.forAnswerTo(request.envelope(), hive),
                                mail.draft(body),
                                null);
        return SendAndWait.run(call, hive, reply);
    }
}
