package dev.pheromone.cli.serve;

import dev.pheromone.address.Actor;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.frame.Typed;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.session.caller.ActorTokens;
import dev.pheromone.session.caller.Identity;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.text.Json;
import dev.pheromone.trust.Key;

import java.io.IOException;
import java.nio.file.Path;

/// The answer of `rsm serve --token-for`: where the token of one agent is.
record ActorToken(Actor actor, Path file) implements Answer {

    static ActorToken made(Invocation call, OpenHive hive, String typed) throws IOException {
        Actor actor;
        try {
            actor = Actor.parse(typed);
        } catch (IllegalArgumentException e) {
            throw Typed.wrong("option --token-for", e);
        }
        boolean isPerson = Identity.asName(call.user(), "user").equals(actor.name());
        for (Key key : hive.knownTrust().keys()) {
            isPerson |= key.human() && key.belongsTo(actor);
        }
        if (isPerson) {
            throw new CliException(
                            ErrorCode.USAGE,
                            "option --token-for: "
                                    + actor
                                    + " is a person, expected an agent: tools never act in a"
                                    + " person's name")
                    .hint("such as codex-19be, or a name of your choice");
        }
        return new ActorToken(actor, new ActorTokens(call.folder()).file(actor));
    }

    @Override
    public Json.Obj json() {
        return Json.obj().put("actor", actor.name()).put("token_file", file.toString());
    }

    @Override
    public void show(Screen screen) {
        screen.line("the token of " + actor + " is in " + SafeText.line(file.toString()));
        screen.line("whoever has it is " + actor + " at /mcp; remove the file to take it back");
    }

    @Override
    public void showBriefly(Screen screen) {
        screen.line(SafeText.line(file.toString()));
    }
}
