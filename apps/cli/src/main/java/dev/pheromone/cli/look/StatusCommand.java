package dev.pheromone.cli.look;

import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Standstill;
import dev.pheromone.cli.frame.Streamed;
import dev.pheromone.cli.lock.LockListing;
import dev.pheromone.cli.resident.Resident;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.session.Session;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.look.HiveState;
import dev.pheromone.session.look.NeedsYou;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// `rsm status`: one screen that says what goes on, and what to type next.
public final class StatusCommand implements HiveCommand {

    @Override
    public Spec spec() {
        return Spec.of("status", Group.HUMANS, "shows what is going on, and what to do next")
                .opt(
                        Opt.flag(
                                "line",
                                "one short line, for a shell's prompt; empty if nothing waits"))
                .opt(
                        Opt.flag(
                                "all",
                                "everything, also while something needs you; else that comes first"
                                        + " and the rest is one line"))
                .opt(Opt.flag("watch", "the whole terminal, live, until you type q"))
                .example("rsm status", "what needs you, then inboxes, claims and locks")
                .example("rsm status --watch", "inboxes, workers, promises and events, live")
                .example("rsm status --line", "for a prompt: 3 waiting, 1 dead")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        if (call.args().has("watch")) {
            return watch(call, hive);
        }
        try {
            Session session = new Session(call, hive);
            boolean isLine = call.args().has("line");
            HiveState state = session.state();
            boolean isShort = isLine && !call.wantsJson();
            StatusAnswer answer =
                    new StatusAnswer(
                            state,
                            isShort ? NeedsYou.NOTHING : session.needsYou(state),
                            isShort ? List.of() : session.agents(),
                            new LockListing(session.locks()),
                            session.reserving().list().reservations(),
                            call.args().has("all"),
                            isLine
                                    ? null
                                    : Resident.of(hive.layout(), call.surroundings()).orElse(null));
            return isLine ? new StatusAnswer.Line(answer) : answer;
        } catch (WithheldException e) {
            Optional<Standstill> freeze = Standstill.by(call, e.verdict().lock());
            if (freeze.isEmpty()) {
                throw e;
            }
            hive.transport().report(e);
            return call.args().has("line") ? new Standstill.Line(freeze.get()) : freeze.get();
        }
    }

    private static Answer watch(Invocation call, OpenHive hive) throws IOException {
        if (!call.surroundings().terminal().output() || call.wantsJson()) {
            throw new CliException(
                            ErrorCode.NO_TERMINAL, "--watch draws on a terminal, and there is none")
                    .hint("for a program:")
                    .fix("rsm watch --json");
        }
        new LiveStatus(call, hive).run();
        return new Streamed();
    }
}
