package dev.pheromone.cli;

import dev.pheromone.Json;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Style;
import dev.pheromone.file.Audit;
import dev.pheromone.file.Finding;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// `rsm audit`: whether somebody wrote past the guard, as far as that can be proven.
final class AuditCommand implements HiveCommand {

    @Override
    public Spec spec() {
        return Spec.of(
                        "audit",
                        Group.GOVERNANCE,
                        "finds what was changed past the guard: recorded hashes against the files")
                .note(
                        "Exit 1 if something was changed or removed. Mail that arrived without an"
                                + " event is told as a note: other programs may write to inboxes.")
                .example("rsm audit", "measures that there are no violations")
                .example("rsm audit --json", "for a program")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        return new Audited(Audit.run(hive.transport(), hive.guard()));
    }

    private record Audited(Audit.Report report) implements Answer {

        @Override
        public Json.Obj json() {
            List<Json> findings = new ArrayList<>();
            for (Finding finding : report.findings()) {
                findings.add(
                        Json.obj()
                                .put("severity", word(finding))
                                .put("thing", finding.thing())
                                .put("found", finding.found())
                                .put("expected", finding.expected()));
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
            }
            screen.line(summary());
        }

        @Override
        public void showBriefly(Screen screen) {
            screen.line(String.valueOf(report.violations()));
        }

        private String summary() {
            int count = report.violations();
            return count
                    + (count == 1 ? " violation" : " violations")
                    + " in "
                    + report.files()
                    + " files and "
                    + report.events()
                    + " events";
        }

        @Override
        public @Nullable CliException failure() {
            return report.violations() == 0
                    ? null
                    : new CliException(ErrorCode.VIOLATION, summary());
        }
    }
}
