package dev.pheromone.cli.mail;

import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.MailOptions;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.session.Session;
import dev.pheromone.session.hive.GuardedTransport;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.OpenedCopy;
import dev.pheromone.session.question.QuestionView;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// `rsm read`: one envelope, checked.
public final class ReadCommand implements HiveCommand {

    @Override
    public Spec spec() {
        return Spec.of("read", Group.AGENTS, "shows and checks one envelope, without taking it")
                .required("ID", "its id, or the last characters of it")
                .opt(Opt.flag("raw", "print the file as it is, byte for byte"))
                .opt(Opt.flag("peek", "leave no event: nobody sees that it was looked at"))
                .opt(MailOptions.state())
                .opt(
                        MailOptions.via(
                                "from this transport of hive.yaml: what was taken there, or what it"
                                        + " shows"))
                .note("It leaves a pheromone_sense event: others see that it was looked at.")
                .example("rsm read k3f9x2", "shows the envelope whose id ends with k3f9x2")
                .example("rsm read --raw k3f9x2 > copy.md", "keeps a copy of the file")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        String typed = String.valueOf(call.args().operand(0));
        String doing = call.args().value("state");
        Session session = new Session(call, hive);
        if (call.args().has("peek")) {
            requireAlone(call);
            return read(session, session.peek(typed));
        }
        return call.args().has("raw")
                ? new Raw(session.raw(typed, doing))
                : read(session, session.read(typed, doing));
    }

    private static void requireAlone(Invocation call) {
        for (String other : List.of("raw", "state")) {
            if (call.args().has(other)) {
                throw new CliException(
                        ErrorCode.USAGE, "--peek and --" + other + ": found both, expected one");
            }
        }
    }

    private static Answer read(Session session, OpenedCopy opened) throws IOException {
        return new Read(opened, session.question(opened.envelope()).orElse(null));
    }

    /// @param question what the envelope asks, and what that has come to; null if it asks nothing
    private record Read(OpenedCopy opened, @Nullable QuestionView question) implements Answer {

        @Override
        public Json.Obj json() {
            return question == null
                    ? opened.json()
                    : opened.json().put("question", question.json());
        }

        @Override
        public void show(Screen screen) {
            CopyScreen.show(opened, screen);
            if (question != null) {
                screen.blank();
                screen.line("question  " + QuestionScreen.state(question, screen));
                QuestionScreen.showSetAside(question, screen);
            }
            boolean isOpen = question == null || question.isOpen();
            if (isOpen && (question != null || !opened.choices().isEmpty())) {
                QuestionScreen.showCommands(
                        opened.choices(),
                        question != null && question.question().ask().free(),
                        "rsm reply " + opened.envelope().id().shortForm(),
                        screen);
            }
        }

        @Override
        public void showBriefly(Screen screen) {
            screen.body(opened);
        }
    }

    /// A file as it is.
    private record Raw(GuardedTransport.Raw file) implements Answer {

        @Override
        public Json.Obj json() {
            return Json.obj()
                    .put("path", file.location())
                    .put("raw", new String(file.bytes(), StandardCharsets.UTF_8));
        }

        @Override
        public void show(Screen screen) {
            screen.bytes(file.bytes());
        }

        @Override
        public void showBriefly(Screen screen) {
            show(screen);
        }
    }
}
