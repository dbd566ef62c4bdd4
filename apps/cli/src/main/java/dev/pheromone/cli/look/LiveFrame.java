package dev.pheromone.cli.look;

import dev.pheromone.cli.frame.Output;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.frame.Standstill;
import dev.pheromone.cli.frame.Surroundings;
import dev.pheromone.cli.frame.TerminalWidth;
import dev.pheromone.cli.lock.LockListing;
import dev.pheromone.cli.report.Figures;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Style;
import dev.pheromone.cli.terminal.Table;
import dev.pheromone.cli.terminal.TextWidth;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.hive.ServiceLevel;
import dev.pheromone.hive.ServiceLevel.Result;
import dev.pheromone.hive.ServiceReport;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.session.look.HiveState;
import dev.pheromone.session.look.NeedsYou;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// One picture of a hive in lines that fit a terminal: what does not fit is counted instead.
public final class LiveFrame {

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss'Z'").withZone(ZoneOffset.UTC);

    /// Parts of the height that inboxes, what needs the caller, claims and what ended badly may
    /// take at most: events get what is left.
    private static final int INBOXES_PART = 3;

    private static final int NEEDS_PART = 4;
    private static final int CLAIMS_PART = 4;
    private static final int ENDED_PART = 6;
    private static final int SECTION_ROWS_MIN = 3;

    private final Surroundings surroundings;
    private final TerminalWidth.Size size;
    private final Instant now;
    private final List<String> lines = new ArrayList<>();

    public LiveFrame(Surroundings surroundings, TerminalWidth.Size size, Instant now) {
        this.surroundings = surroundings.withColumns(size.columns());
        this.size = size;
        this.now = now;
    }

    public List<String> of(
            HiveState state,
            NeedsYou needs,
            LockListing locks,
            ServiceReport report,
            List<RseEvent> events) {
        StatusAnswer answer =
                new StatusAnswer(state, needs, List.of(), locks, List.of(), true, null);
        title(state.root(), state.waiting() + " waiting, " + state.claims().size() + " active");
        if (!needs.items().isEmpty()) {
            section(answer::showNeeds, Math.max(SECTION_ROWS_MIN, size.rows() / NEEDS_PART));
        }
        if (!locks.items().isEmpty()) {
            section(screen -> screen.table(locks.table(now)), SECTION_ROWS_MIN);
        }
        section(answer::showInboxes, Math.max(SECTION_ROWS_MIN, size.rows() / INBOXES_PART));
        if (!state.claims().isEmpty()) {
            section(answer::showClaims, Math.max(SECTION_ROWS_MIN, size.rows() / CLAIMS_PART));
        }
        section(answer::showHeldUp, SECTION_ROWS_MIN);
        section(answer::showEnded, Math.max(SECTION_ROWS_MIN, size.rows() / ENDED_PART));
        section(screen -> screen.table(promises(report)), ServiceLevel.Metric.values().length + 1);
        section(screen -> screen.table(table(events)), size.rows() - lines.size() - 1);
        return lines;
    }

    /// While a freeze forbids looking: what every command says of it.
    List<String> frozen(String root, Standstill freeze) {
        title(root, "frozen");
        section(
                screen -> {
                    screen.line(screen.styled(Style.YELLOW, cut(SafeText.line(freeze.what()))));
                    screen.line(cut(SafeText.line(freeze.end())));
                },
                SECTION_ROWS_MIN);
        return lines;
    }

    /// While another lock forbids looking.
    public List<String> locked(String root, WithheldException e) {
        title(root, "locked");
        section(
                screen -> {
                    screen.line(
                            screen.styled(
                                    Style.YELLOW,
                                    cut("withheld: " + SafeText.line(e.verdict().reason()))));
                    screen.line(cut("nothing is read until the lock is lifted"));
                },
                SECTION_ROWS_MIN);
        return lines;
    }

    private void title(String root, String what) {
        String right = TIME.format(now) + "  q leaves";
        String left = cut("hive " + SafeText.line(root) + ": " + what);
        int gap = size.columns() - TextWidth.of(left) - TextWidth.of(right);
        Screen screen = new Screen(new Output(new ByteArrayOutputStream()), surroundings);
        lines.add(
                screen.styled(Style.BOLD, left)
                        + (gap < 2 ? "" : " ".repeat(gap) + screen.styled(Style.DIM, right)));
    }

    /// Adds what `show` prints after an empty line, in at most `rowsMax` lines.
    private void section(Consumer<Screen> show, int rowsMax) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Output output = new Output(bytes);
        show.accept(new Screen(output, surroundings));
        output.flush();
        List<String> shown =
                bytes.toString(StandardCharsets.UTF_8)
                        .lines()
                        .filter(line -> !line.isEmpty())
                        .toList();
        if (shown.isEmpty() || rowsMax < 2) {
            return;
        }
        lines.add("");
        if (shown.size() <= rowsMax) {
            lines.addAll(shown);
        } else {
            lines.addAll(shown.subList(0, rowsMax - 1));
            lines.add("… and " + (shown.size() - rowsMax + 1) + " more");
        }
    }

    /// Those that the log alone can tell; the others take a look at every file.
    private static Table promises(ServiceReport report) {
        Table table = new Table("PROMISE, LAST 24 HOURS", "FOUND", "TARGET", "");
        for (ServiceLevel level : report.levels()) {
            if (level.result() != Result.NO_DATA) {
                table.row(
                        Table.Cell.of(Figures.name(level.metric())),
                        Table.Cell.of(Figures.value(level)),
                        Table.Cell.of(Figures.target(level.metric())),
                        level.result() == Result.MET
                                ? new Table.Cell("met", Style.GREEN)
                                : new Table.Cell("missed", Style.RED));
            }
        }
        return table.isEmpty() ? table.row("nothing to measure yet", "", "", "") : table;
    }

    private static Table table(List<RseEvent> events) {
        Table table = new Table("TIME", "EVENT", "BY", "WHAT");
        for (RseEvent event : events) {
            table.row(
                    TIME.format(event.ts()),
                    event.type(),
                    event.actor(),
                    EventText.data(event.data()));
        }
        return table;
    }

    private String cut(String text) {
        return TextWidth.cut(text, size.columns());
    }
}
