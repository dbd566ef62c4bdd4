package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.cli.args.CommandLine;
import dev.pheromone.cli.frame.EverywhereOptions;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Output;
import dev.pheromone.cli.frame.Surroundings;
import dev.pheromone.cli.frame.TerminalWidth;
import dev.pheromone.cli.frame.TypedHive;
import dev.pheromone.cli.lock.LockListing;
import dev.pheromone.cli.look.LiveFrame;
import dev.pheromone.cli.look.StatusCommand;
import dev.pheromone.cli.terminal.TextWidth;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.LockKind;
import dev.pheromone.guard.Verdict;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.hive.ServiceLevels;
import dev.pheromone.hive.ServiceReport;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseReading;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.look.HiveState;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

class LiveFrameTest {

    @TempDir Path folder;

    /// The frame of a hive in which 30 inboxes have mail, and one a claim.
    private List<String> frame(TerminalWidth.Size size) throws IOException {
        Session session = new Session(folder.toRealPath());
        assertThat(session.rsm("init").exit()).isZero();
        for (int i = 0; i < 30; i++) {
            assertThat(session.rsm("send", "--create", "--to", "box" + i, "please").exit())
                    .isZero();
        }
        assertThat(session.rsm("send", "--to", "code", "look at this").exit()).isZero();
        assertThat(session.rsm("select", "code").exit()).isZero();
        return frame(session, size);
    }

    private static List<String> frame(Session session, TerminalWidth.Size size) throws IOException {
        Surroundings surroundings = session.surroundings();
        CommandLine line = new CommandLine(List.of("status"));
        Invocation call =
                new Invocation(
                        line,
                        new StatusCommand().spec(),
                        EverywhereOptions.parser().parse(line, 0, new StatusCommand().spec()),
                        surroundings,
                        new Output(new ByteArrayOutputStream()),
                        new Output(new ByteArrayOutputStream()),
                        Rsm.PROGRAM);
        try (OpenHive hive = TypedHive.open(call)) {
            ServiceLevels levels = new ServiceLevels();
            levels.takeAll(hive.log());
            ServiceReport report =
                    levels.report(
                            call.now().minus(Duration.ofHours(24)),
                            call.now(),
                            ServiceLevels.Evidence.NONE);
            var own = new dev.pheromone.session.Session(call, hive);
            HiveState state = own.state();
            return new LiveFrame(surroundings, size, call.now())
                    .of(
                            state,
                            own.needsYou(state),
                            new LockListing(own.locks()),
                            report,
                            events(hive));
        }
    }

    private static List<RseEvent> events(OpenHive hive) throws IOException {
        List<RseEvent> events = new ArrayList<>();
        try (RseReading reading = hive.log().read(Cursor.START)) {
            for (Optional<RseEntry> next = reading.next();
                    next.isPresent();
                    next = reading.next()) {
                if (next.get() instanceof RseEntry.Read read) {
                    events.addFirst(read.event());
                }
            }
        }
        return events;
    }

    private static void checkFits(List<String> lines, TerminalWidth.Size size) {
        assertThat(lines).hasSizeLessThanOrEqualTo(size.rows());
        assertThat(lines).allMatch(line -> TextWidth.of(line) <= size.columns());
    }

    @Test
    void showsWhatIsDeadMutedAndInTheEmbargo() throws Exception {
        Session session = new Session(folder.toRealPath());
        session.rsm("init");
        session.rsm("send", "--to", "code", "broken");
        for (int i = 0; i < 5; i++) {
            String claim =
                    AnswerSchemas.field(session.rsm("select", "code", "--json").out(), "claim");
            session.rsm("ack", claim, "error", "tests fail");
            session.later(Duration.ofMinutes(11));
        }
        session.rsm("mute", "ci", "--for", "30m", "--by", "you");
        session.rsm("lock", "hive");
        session.rsm("send", "--to", "code", "meanwhile");
        session.rsm("unlock", "hive", "--by", "you");
        TerminalWidth.Size size = new TerminalWidth.Size(40, 100);

        List<String> lines = frame(session, size);

        checkFits(lines, size);
        assertThat(String.join("\n", lines))
                .contains("dead:", "broken", "tests fail", "ci is muted for 30m", "1 waits in the")
                .containsSubsequence("NEEDS YOU", "embargo", "dead", "INBOX");
    }

    @Test
    void showsInboxesWorkersPromisesAndEvents() throws Exception {
        TerminalWidth.Size size = new TerminalWidth.Size(40, 100);
        List<String> lines = frame(size);
        checkFits(lines, size);
        assertThat(String.join("\n", lines))
                .contains("30 waiting, 1 active", "q leaves")
                .contains("queen://box0", "… and ")
                .contains("CLAIMED", "PROMISE", "delivery ratio", "queen_select");
    }

    @Test
    void aSmallTerminalGetsWhatFits() throws Exception {
        TerminalWidth.Size size = new TerminalWidth.Size(16, 60);
        checkFits(frame(size), size);
    }

    @Test
    void aLockedHiveSaysSoAndShowsNothingElse() throws Exception {
        TerminalWidth.Size size = new TerminalWidth.Size(24, 60);
        Session session = new Session(folder);
        List<String> lines =
                new LiveFrame(
                                session.surroundings(),
                                size,
                                session.surroundings().clock().instant())
                        .locked(
                                "repo",
                                new WithheldException(
                                        folder,
                                        new Verdict.Blocked(
                                                new Lock(
                                                        LockKind.DO_NOT_ERASE,
                                                        ".deia",
                                                        "rotg-2",
                                                        "here"),
                                                "release freeze")));
        checkFits(lines, size);
        assertThat(String.join("\n", lines)).contains("locked", "release freeze");
    }
}
