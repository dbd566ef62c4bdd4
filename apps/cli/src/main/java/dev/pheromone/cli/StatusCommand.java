package dev.pheromone.cli;

import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;

import java.io.IOException;
import java.time.Duration;

/// `rsm status`: one screen that says what goes on, and what to type next.
final class StatusCommand implements HiveCommand {

    private static final Duration REDRAW = Duration.ofSeconds(2);
    private static final String CLEAR = "\u001b[H\u001b[2J";

    @Override
    public Spec spec() {
        return Spec.of(
                        "status",
                        Group.HUMANS,
                        "shows on one screen what goes on, and what to do next")
                .opt(
                        Opt.flag(
                                "line",
                                "one short line, for a shell's prompt; empty if nothing waits"))
                .opt(Opt.flag("watch", "show it again every other second, until interrupted"))
                .example("rsm status", "inboxes, claims, what expired and what died")
                .example("rsm status --line", "for a prompt: 3 waiting, 1 dead")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        HiveState state = HiveState.of(call, hive);
        if (call.args().has("line")) {
            return new StatusAnswer.Line(state);
        }
        if (!call.args().has("watch")) {
            return new StatusAnswer(state);
        }
        if (!call.surroundings().terminal().output() || call.wantsJson()) {
            throw new CliException(
                            ErrorCode.NO_TERMINAL, "--watch draws on a terminal, and there is none")
                    .hint("for a program:")
                    .fix("rsm watch --json");
        }
        while (!Thread.currentThread().isInterrupted()) {
            Screen screen = call.screen();
            screen.text(CLEAR);
            new StatusAnswer(HiveState.of(call, hive)).show(screen);
            screen.flush();
            Pause.of(REDRAW);
        }
        return new Streamed();
    }
}
