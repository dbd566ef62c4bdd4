package dev.pheromone.cli.home;

import dev.pheromone.address.Domain;
import dev.pheromone.cli.agent.HookCheckup;
import dev.pheromone.cli.agent.OpenFiles;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.Command;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Locked;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.frame.TypedHive;
import dev.pheromone.cli.look.LogMarks;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Style;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.file.embargo.Freeze;
import dev.pheromone.file.setup.Finding;
import dev.pheromone.file.upkeep.Checkup;
import dev.pheromone.file.upkeep.Recovery;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.selection.Waiting;
import dev.pheromone.session.Passkeys;
import dev.pheromone.session.Session;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// `rsm doctor`: finds what is wrong, and with `--fix` fixes what it can prove.
public final class DoctorCommand implements Command {

    /// There may be thousands.
    private static final int NO_MAIL_SHOWN_MAX = 5;

    @Override
    public Spec spec() {
        return Spec.of(
                        "doctor",
                        Group.OPERATORS,
                        "finds what is wrong with the hive; --fix repairs it")
                .optional(
                        "PART",
                        "wake: which sessions of agents can be told of mail while they are idle",
                        List.of("wake"))
                .opt(
                        Opt.flag(
                                "fix",
                                "finish what was interrupted, write missing events, and send what"
                                        + " waits in the outbox"))
                .note(
                        "It checks the disk, folders, configuration, leftovers and missing events."
                            + " For each transport in hive.yaml it shows whether it answers, and"
                            + " what it does and does not promise. Exit 1 if something is wrong.")
                .example("rsm doctor", "looks, and changes nothing")
                .example("rsm doctor wake", "who can be told of mail while idle, and how")
                .example("rsm doctor --fix", "fixes what can be fixed safely")
                .build();
    }

    @Override
    public Answer run(Invocation call) throws IOException {
        if (call.args().operand(0) != null) {
            try (OpenHive hive = TypedHive.open(call)) {
                return new Sessions(new Session(call, hive).checkWaking(new OpenFiles(call)));
            }
        }
        List<Finding> findings = new ArrayList<>();
        CliException withheld = null;
        HiveLayout layout = TypedHive.find(call);
        try (OpenHive hive = TypedHive.open(call)) {
            findings.addAll(
                    call.args().has("fix")
                            ? hive.transport().upkeep().recover(Recovery.Extent.ALL)
                            : hive.transport().upkeep().recoverable(Recovery.Extent.ALL));
            findings.addAll(new LogMarks(call, hive.layout(), hive.guard()).check());
            findings.addAll(
                    call.args().has("fix")
                            ? hive.transport().upkeep().dropWrongHeaders()
                            : hive.transport().upkeep().wrongHeaders());
            findings.addAll(noMail(hive));
            findings.addAll(new RefusalCheckup(hive, call.now()).findings());
            findings.addAll(new Passkeys(call, hive).check());
            Session session = new Session(call, hive);
            findings.addAll(
                    call.args().has("fix") ? session.fixTransports() : session.checkTransports());
        } catch (WithheldException e) {
            // Under most locks the checkup can still say what was seen, and what was not. Under a
            // freeze nothing is seen.
            if (call.args().has("fix") || Freeze.isFreeze(e.verdict().lock())) {
                throw e;
            }
            Locked.report(call, e);
            withheld = Locked.by(call, e);
        } catch (CliException e) {
            // A hive whose configuration is malformed can't be opened; the checkup says why.
            if (e.code() != ErrorCode.BAD_CONFIGURATION) {
                throw e;
            }
        }
        findings.addAll(Checkup.run(layout, OpenHive.guard(call, layout), call.now()));
        findings.addAll(new HookCheckup(call).findings());
        return new Checked(findings, withheld);
    }

    /// What lies where mail should, and is none.
    private static List<Finding> noMail(OpenHive hive) throws IOException {
        List<Finding> findings = new ArrayList<>();
        for (Domain domain : hive.transport().domains()) {
            int more = 0;
            for (Waiting waiting : hive.inbox(domain.address()).waiting()) {
                if (!(waiting instanceof Waiting.Bad bad)) {
                    continue;
                }
                if (findings.size() < NO_MAIL_SHOWN_MAX) {
                    findings.add(noMail(bad.location(), "no mail (" + bad.reason() + ")"));
                } else {
                    more++;
                }
            }
            if (more > 0) {
                findings.add(noMail(domain.address().toString(), more + " more that are none"));
            }
        }
        return findings;
    }

    private static Finding noMail(String thing, String found) {
        return new Finding(Finding.Severity.WARNING, thing, found, "mail", "move it away");
    }

    /// One finding as a line: the thing, what was found, what was expected.
    public static String text(Finding finding) {
        return finding.thing()
                + switch (finding.severity()) {
                    case ERROR, WARNING ->
                            ": found " + finding.found() + ", expected " + finding.expected();
                    case MENDED, NOTE -> ": " + finding.found();
                };
    }

    static Json.Obj json(Finding finding, String severity) {
        return Json.obj()
                .put("severity", severity)
                .put("thing", finding.thing())
                .put("found", finding.found())
                .put("expected", finding.expected())
                .put("fix", finding.fix() == null ? Json.Null.NULL : Json.of(finding.fix()));
    }

    /// Which sessions can be told of mail while they are idle.
    private record Sessions(List<Finding> findings) implements Answer {

        @Override
        public Json.Obj json() {
            return new Checked(findings, null).json();
        }

        @Override
        public void show(Screen screen) {
            for (Finding finding : findings) {
                screen.line(SafeText.line(text(finding)));
            }
            if (findings.isEmpty()) {
                screen.line("no session of an agent is known here");
            }
        }
    }

    /// @param withheld what kept it from looking at everything; null if nothing did
    private record Checked(List<Finding> findings, @Nullable CliException withheld)
            implements Answer {

        @Override
        public Json.Obj json() {
            List<Json> items = new ArrayList<>();
            for (Finding finding : findings) {
                items.add(
                        DoctorCommand.json(
                                finding, finding.severity().name().toLowerCase(Locale.ROOT)));
            }
            return Json.obj().put("findings", Json.arr(items));
        }

        @Override
        public void show(Screen screen) {
            for (Finding finding : findings) {
                Style style =
                        switch (finding.severity()) {
                            case ERROR -> Style.RED;
                            case WARNING -> Style.YELLOW;
                            case MENDED -> Style.GREEN;
                            case NOTE -> Style.DIM;
                        };
                String word =
                        finding.severity() == Finding.Severity.MENDED
                                ? "fixed"
                                : finding.severity().name().toLowerCase(Locale.ROOT);
                screen.line(screen.styled(style, word) + ": " + SafeText.line(text(finding)));
                if (finding.fix() != null) {
                    screen.line("  fix: " + SafeText.line(finding.fix()));
                }
            }
            if (withheld == null
                    && findings.stream()
                            .noneMatch(finding ->
                                    finding.severity() == Finding.Severity.ERROR
                                            || finding.severity() == Finding.Severity.WARNING)) {
                screen.line("nothing is wrong");
            }
        }

        @Override
        public @Nullable CliException failure() {
            int errors = 0;
            for (Finding finding : findings) {
                errors += finding.severity() == Finding.Severity.ERROR ? 1 : 0;
            }
            if (errors == 0) {
                return withheld;
            }
            return new CliException(
                    ErrorCode.UNHEALTHY,
                    errors + (errors == 1 ? " thing is" : " things are") + " wrong with this hive");
        }
    }
}
