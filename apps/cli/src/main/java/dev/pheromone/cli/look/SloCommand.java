package dev.pheromone.cli.look;

import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.HivePlace;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.MailOptions;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.frame.TypedFiles;
import dev.pheromone.cli.report.Figures;
import dev.pheromone.cli.report.ServicePage;
import dev.pheromone.cli.terminal.Style;
import dev.pheromone.cli.terminal.Table;
import dev.pheromone.hive.ServiceLevel;
import dev.pheromone.hive.ServiceReport;
import dev.pheromone.hive.ServiceReportJson;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/// `rsm slo`: whether the hive keeps its promises.
public final class SloCommand implements HiveCommand {

    private static final Duration SINCE_DEFAULT = Duration.ofHours(24);

    @Override
    public Spec spec() {
        return Spec.of("slo", Group.OPERATORS, "measures whether the hive keeps its promises")
                .opt(Opt.value("since", "TIME", "measure from then on; else the last 24h"))
                .opt(Opt.value("html", "FILE", "also write a page with pictures, into a file"))
                .opt(
                        Opt.choice(
                                "chart",
                                "print one picture instead, as SVG: how long mail took, how much"
                                        + " waited, how much came to its end, or how long the"
                                        + " oldest had waited",
                                ServicePage.PICTURES))
                .note(MailOptions.TIME_NOTE)
                .note(
                        "Exit 1 if a promise was missed, so that it can gate a build. A promise"
                                + " without data is neither met nor missed.")
                .example("rsm slo", "the last 24 hours")
                .example("rsm slo --since 7d --html week.html", "a week, as a page to show")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        Instant now = call.now();
        Instant typed = call.moment("since");
        Instant since = typed == null ? now.minus(SINCE_DEFAULT) : typed;
        if (!since.isBefore(now)) {
            throw new CliException(
                    ErrorCode.USAGE,
                    "option --since: found "
                            + IsoTime.format(since)
                            + ", expected a time before now");
        }
        String chart = call.args().value("chart");
        String html = call.args().value("html");
        if (chart != null && html != null) {
            throw new CliException(ErrorCode.USAGE, "--chart and --html: found both, expected one");
        }
        if (html != null) {
            requirePlace(call, html);
        }
        Session session = new Session(call, hive);
        if (chart != null) {
            return new Chart(chart, new ServicePage(session.logged(since), "").picture(chart));
        }
        ServiceReport report = session.slo(since);
        if (html != null) {
            write(call, hive, html, report);
        }
        return new Measured(report, html);
    }

    /// Fails, before anything is measured, if a page can't or must not be written there.
    private static void requirePlace(Invocation call, String typed) throws IOException {
        if (typed.equals("-")) {
            throw new CliException(
                            ErrorCode.USAGE,
                            "option --html: found -, expected a file; the figures go to standard"
                                    + " output")
                    .hint("a file of that name is ./-");
        }
        Path file = call.userFiles().resolve(typed);
        requireOutsideHives(file, typed);
        new TypedFiles(call).requireWritable(typed);
        // Only now: what is locked is not looked at.
        Path folder = file.getParent();
        if (folder == null || !call.userFiles().isFolder(folder)) {
            throw new CliException(
                    ErrorCode.BAD_FILE,
                    "option --html: found " + typed + ", expected a file in a folder that exists");
        }
        requireOutsideHives(call.userFiles().real(call.userFiles().asTyped(typed)), typed);
    }

    private static void requireOutsideHives(Path file, String typed) {
        if (HivePlace.hiveFolderIn(file) != null) {
            throw new CliException(
                    ErrorCode.BAD_FILE,
                    "option --html: found " + typed + ", expected a file outside of the hive");
        }
    }

    private static void write(Invocation call, OpenHive hive, String typed, ServiceReport report)
            throws IOException {
        Path file = call.userFiles().asTyped(typed);
        // A lock may have come since.
        new TypedFiles(call).requireWritable(typed);
        String name = String.valueOf(hive.layout().root().getFileName());
        call.userFiles().replaceText(file, new ServicePage(report, name).html());
    }

    private record Chart(String chart, String svg) implements Answer {

        @Override
        public Json.Obj json() {
            return Json.obj().put("chart", chart).put("svg", svg);
        }

        @Override
        public void show(Screen screen) {
            screen.bytes(svg.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public void showBriefly(Screen screen) {
            show(screen);
        }
    }

    private record Measured(ServiceReport report, @Nullable String html) implements Answer {

        @Override
        public Json.Obj json() {
            Json.Obj json = ServiceReportJson.write(report);
            return html == null ? json : json.put("html", html);
        }

        @Override
        public void show(Screen screen) {
            screen.line(
                    "the last "
                            + Ages.span(Duration.between(report.since(), report.until()))
                            + ": "
                            + ServicePage.verdict(report));
            Table table = new Table("PROMISE", "FOUND", "TARGET", "SAMPLES", "");
            for (ServiceLevel level : report.levels()) {
                table.row(
                        Table.Cell.of(Figures.name(level.metric())),
                        Table.Cell.of(Figures.value(level)),
                        Table.Cell.of(Figures.target(level.metric())),
                        Table.Cell.of(Figures.count(level.samples())),
                        result(level));
            }
            screen.table(table);
            note(screen, report.open(), "sent in this time and not done yet");
            note(screen, report.withheld(), "kept in the embargo, see rsm embargo");
            note(screen, report.unreadable(), "lines of the log are not events, see rsm log");
            if (html != null) {
                screen.line("written to " + html);
            }
        }

        private static Table.Cell result(ServiceLevel level) {
            return switch (level.result()) {
                case MET -> new Table.Cell("met", Style.GREEN);
                case MISSED -> new Table.Cell("missed", Style.RED);
                case NO_DATA -> new Table.Cell("no data", Style.DIM);
            };
        }

        private static void note(Screen screen, long count, String what) {
            if (count > 0) {
                screen.line(Figures.count(count) + " " + what);
            }
        }

        @Override
        public void showBriefly(Screen screen) {
            screen.line(String.valueOf(report.missed()));
        }

        @Override
        public @Nullable CliException failure() {
            return report.missed() == 0
                    ? null
                    : new CliException(ErrorCode.SLO_MISSED, ServicePage.verdict(report));
        }
    }
}
