package dev.pheromone.cli.home;

import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.PersonsWord;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.look.LogMarks;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Style;
import dev.pheromone.file.Audit;
import dev.pheromone.file.setup.Finding;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.Phrase;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.passkey.Deed;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// `rsm audit`: whether somebody wrote past the guard, as far as that can be proven.
public final class AuditCommand implements HiveCommand {

    @Override
    public Spec spec() {
        return Spec.of(
                        "audit",
                        Group.GOVERNANCE,
                        "compares files with recorded hashes, to find what was changed past the"
                                + " guard")
                .note(
                        "Exit 1 if something was changed or removed. Mail that arrived without an"
                                + " event is shown as a note: other programs may write to inboxes."
                                + " How long the log is, and its hash, is kept in your"
                                + " configuration folder: when lines are changed or gone at the"
                                + " next audit, that is a violation, until a person accepts it.")
                .opt(Opt.flag("accept", "accept the log as it is now"))
                .opt(
                        Opt.value(
                                "by",
                                "NAME",
                                "accept: who decides, if there is no terminal to ask at"))
                .example("rsm audit", "shows whether anything was changed past the guard")
                .example("rsm audit --json", "for a program")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        LogMarks marks = new LogMarks(call, hive.layout(), hive.guard());
        if (call.args().has("accept")) {
            PersonsWord.ask(
                    call,
                    hive,
                    Deed.of("accept", "log", "accepting the event log as it is"),
                    "accept");
            marks.forget();
        }
        Audit.Report report = Audit.run(hive.transport(), hive.guard());
        return new Audited(
                report.with(new Session(call, hive).checkAssertions()).with(marks.check()));
    }

    private record Audited(Audit.Report report) implements Answer {

        @Override
        public Json.Obj json() {
            List<Json> findings = new ArrayList<>();
            for (Finding finding : report.findings()) {
                findings.add(DoctorCommand.json(finding, word(finding)));
            }
            return Json.obj()
                    .put("findings", Json.arr(findings))
                    .put("violations", report.violations())
                    .put("files", report.files())
                    .put("events", report.events());
        }

        private static String word(Finding finding) {
            return switch (finding.severity()) {
                case ERROR -> "violation";
                case WARNING -> "warning";
                case MENDED, NOTE -> "info";
            };
        }

        @Override
        public void show(Screen screen) {
            for (Finding finding : report.findings()) {
                Style style =
                        switch (finding.severity()) {
                            case ERROR -> Style.RED;
                            case WARNING -> Style.YELLOW;
                            case MENDED, NOTE -> Style.DIM;
                        };
                screen.line(
                        screen.styled(style, word(finding))
                                + ": "
                                + SafeText.line(DoctorCommand.text(finding)));
                if (finding.fix() != null) {
                    screen.line("  fix: " + SafeText.line(finding.fix()));
                }
            }
            screen.line(summary());
        }

        @Override
        public void showBriefly(Screen screen) {
            screen.line(String.valueOf(report.violations()));
        }

        private String summary() {
            return Phrase.count(report.violations(), "violation")
                    + " in "
                    + Phrase.count(report.files(), "file")
                    + " and "
                    + Phrase.count(report.events(), "event");
        }

        @Override
        public @Nullable CliException failure() {
            return report.violations() == 0
                    ? null
                    : new CliException(ErrorCode.VIOLATION, summary());
        }
    }
}
