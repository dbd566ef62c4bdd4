package dev.pheromone.cli.mail;

import dev.pheromone.address.Address;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.ListAnswer;
import dev.pheromone.cli.frame.MailOptions;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.frame.Typed;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Table;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.mail.Composer;
import dev.pheromone.session.mail.Draft;
import dev.pheromone.session.question.OpenQuestions;
import dev.pheromone.session.question.QuestionView;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// `rsm ask`: a question with an answer that counts, from the one who was asked, once.
public final class AskCommand implements HiveCommand {

    @Override
    public Spec spec() {
        Spec.Builder spec =
                Spec.of("ask", Group.AGENTS, "asks somebody, and gets the answer that counts")
                        .usage("rsm ask ADDRESS QUESTION [options]")
                        .usage("rsm ask --status ID [--wait DURATION]")
                        .usage("rsm ask --list")
                        .optional(
                                "ADDRESS",
                                "who is asked: user://you, worker://claude-7f3a, or code for"
                                        + " whoever takes it there")
                        .optional("QUESTION|-", "the question; - reads it from standard input")
                        .opt(Opt.value("choice", "ANSWER", "an answer to choose from").repeated())
                        .opt(
                                Opt.flag(
                                        "free",
                                        "another text than the choices is an answer, too; without"
                                                + " --choice any text is"))
                        .opt(
                                Opt.value(
                                        "default",
                                        "ANSWER",
                                        "what holds if nobody answers until the deadline"))
                        .opt(
                                Opt.value(
                                        "deadline",
                                        "DURATION",
                                        "how long an answer counts; else as long as the mail is"
                                                + " valid"))
                        .opt(
                                Opt.flag(
                                        "default-permits",
                                        "the default may permit something, which only \"no\" does"
                                                + " not: confirms that this is intended"))
                        .opt(
                                Opt.value(
                                        "wait",
                                        "DURATION",
                                        "wait this long for the answer, show and finish it"))
                        .opt(
                                Opt.value("cc", "ADDRESS", "who gets a copy and is not asked")
                                        .repeated())
                        .opt(Opt.value("status", "ID", "what became of this question"))
                        .opt(
                                Opt.flag(
                                        "list",
                                        "the open questions that you were asked, and that you"
                                                + " asked"));
        return MailOptions.addContentTo(spec)
                .note(
                        "The first valid answer of somebody who was asked counts, and stays; rsm"
                            + " reply and rsm ack done --reply give one. Answers of others, forged"
                            + " ones and late ones are told and do not count.")
                .note(
                        "proof says how it is proven who answered: key, if a trusted key signed the"
                                + " answer; unproven, if its sender has none.")
                .example(
                        "rsm ask user://you --choice yes --choice no --default no --deadline 30m"
                                + " --wait 30m \"may I merge?\"",
                        "asks a person, and waits for the answer")
                .example("rsm ask code \"which branch?\"", "asks whoever works on code, any text")
                .example("rsm ask --status k3f9x2", "what became of a question")
                .example("rsm ask --list", "what is open")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        String status = call.args().value("status");
        boolean isList = call.args().has("list");
        if (status != null || isList) {
            refuseMore(call, status != null && isList);
            Session session = new Session(call, hive);
            return status == null ? new Listed(session.questions()) : status(call, session, status);
        }
        Address asked = Typed.address(call, "ADDRESS", needed(call, 0, "ADDRESS"));
        List<Address> to = new ArrayList<>(List.of(asked));
        for (String typed : call.args().values("cc")) {
            to.add(Typed.address(call, "option --cc", typed));
        }
        TypedMail mail = new TypedMail(call, hive);
        needed(call, 1, "QUESTION");
        Draft draft = mail.question(mail.body(1), to.size() == 1 ? List.of() : List.of(asked));
        return SendAndWait.run(call, hive, new Composer(call, hive).compose(to, draft));
    }

    private static String needed(Invocation call, int operand, String name) {
        String typed = call.args().operand(operand);
        boolean isElsewhere = call.args().has("topic") || call.args().has("body-file");
        if (typed == null && (operand == 0 || !isElsewhere)) {
            throw new CliException(
                            ErrorCode.USAGE, "found no " + name + ", expected whom to ask and what")
                    .hint("for example:")
                    .fix("rsm ask user://you --choice yes --choice no \"may I merge?\"");
        }
        return String.valueOf(typed);
    }

    private static void refuseMore(Invocation call, boolean areBoth) {
        if (areBoth || call.args().operand(0) != null) {
            throw new CliException(
                    ErrorCode.USAGE,
                    "found more than one of a question to ask, --status and --list, expected one"
                            + " of them");
        }
    }

    private static Answer status(Invocation call, Session session, String typed)
            throws IOException {
        QuestionView view = session.question(typed);
        if (call.args().has("wait") && view.isOpen()) {
            return SendAndWait.forAnswer(call, session.awaiting(view.envelope()), null);
        }
        return new QuestionAnswer(null, view);
    }

    /// The questions that are open.
    private record Listed(OpenQuestions questions) implements Answer {

        private List<Json> items(List<QuestionView> views, String role) {
            List<Json> items = new ArrayList<>();
            for (QuestionView view : views) {
                items.add(
                        view.json()
                                .put("role", role)
                                .put("topic", view.envelope().topic())
                                .put("from", view.envelope().from().name()));
            }
            return items;
        }

        @Override
        public Json.Obj json() {
            List<Json> items = items(questions.toAnswer(), "asked");
            items.addAll(items(questions.asked(), "asker"));
            return ListAnswer.whole(items);
        }

        @Override
        public void show(Screen screen) {
            if (questions.toAnswer().isEmpty() && questions.asked().isEmpty()) {
                screen.line("no open questions");
                return;
            }
            Table table = new Table("ID", "ROLE", "WITH", "ANSWERS", "OPEN", "QUESTION");
            addRows(table, questions.toAnswer(), "you are asked", screen);
            addRows(table, questions.asked(), "you asked", screen);
            screen.table(table);
        }

        private static void addRows(
                Table table, List<QuestionView> views, String role, Screen screen) {
            for (QuestionView view : views) {
                table.row(
                        Table.Cell.of(view.envelope().id().shortForm()),
                        Table.Cell.of(role),
                        Table.Cell.of(
                                role.equals("you asked")
                                        ? QuestionScreen.asked(view.question())
                                        : view.envelope().from().name()),
                        Table.Cell.of(QuestionScreen.choices(view.question().ask())),
                        Table.Cell.of(Ages.relative(view.question().endsAt(), screen.now())),
                        Table.Cell.of(SafeText.line(view.envelope().topic())));
            }
        }

        @Override
        public void showBriefly(Screen screen) {
            for (QuestionView view : questions.toAnswer()) {
                screen.line(view.envelope().id().text());
            }
            for (QuestionView view : questions.asked()) {
                screen.line(view.envelope().id().text());
            }
        }
    }
}
