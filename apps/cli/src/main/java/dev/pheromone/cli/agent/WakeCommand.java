package dev.pheromone.cli.agent;

import dev.pheromone.address.Actor;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.session.Session;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.seat.Waking.Woken;
import dev.pheromone.text.Json;

import java.io.IOException;

/// `rsm wake`: tells an idle session that mail waits for it.
public final class WakeCommand implements HiveCommand {

    @Override
    public Spec spec() {
        return Spec.of("wake", Group.AGENTS, "tells an agent's idle session that mail waits")
                .required("ACTOR", "whose session, as rsm agents shows it")
                .note(
                        "Claude Code, Codex and OpenCode can be told while they are idle; new mail"
                                + " does it by itself. Others learn of their mail at the next"
                                + " prompt. rsm doctor wake shows who can be woken, and how.")
                .example("rsm wake codex-19be", "tells that session of its mail")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        String typed = String.valueOf(call.args().operand(0));
        Actor actor;
        try {
            actor = Actor.parse(typed);
        } catch (IllegalArgumentException e) {
            throw new CliException(ErrorCode.USAGE, String.valueOf(e.getMessage()), e);
        }
        return switch (new Session(call, hive)
                .wake(actor, new OpenFiles(call), call.surroundings().env())) {
            case Woken.Told(var how) -> new Told(actor, how);
            case Woken.NothingNew _ ->
                    throw new CliException(
                                    ErrorCode.NOTHING,
                                    "nothing waits for " + actor + " that it does not know of")
                            .fix("rsm inbox worker://" + actor);
            case Woken.Deaf(var reason) ->
                    throw new CliException(
                                    ErrorCode.WORK_FAILED,
                                    actor + " can't be woken: " + SafeText.line(reason))
                            .hint("its mail stays where it is, and is told at its next prompt");
        };
    }

    private record Told(Actor actor, String how) implements Answer {

        @Override
        public Json.Obj json() {
            return Json.obj().put("actor", actor.name()).put("how", how);
        }

        @Override
        public void show(Screen screen) {
            screen.line(actor + ": " + how);
        }
    }
}
