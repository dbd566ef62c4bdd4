package dev.pheromone.cli;

import dev.pheromone.Actor;
import dev.pheromone.Json;
import dev.pheromone.cli.args.Args;
import dev.pheromone.cli.args.CommandLine;
import dev.pheromone.cli.terminal.SafeText;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Instant;

/// One call of a command: what was typed, by whom, and where the answer goes.
final class Invocation {

    private final CommandLine line;
    private final Args args;
    private final Surroundings surroundings;
    private final Output out;
    private final Output err;
    private @Nullable Identity identity;

    Invocation(CommandLine line, Args args, Surroundings surroundings, Output out, Output err) {
        this.line = line;
        this.args = args;
        this.surroundings = surroundings;
        this.out = out;
        this.err = err;
    }

    /// What was typed, for hints that repeat it with one thing changed.
    CommandLine line() {
        return line;
    }

    Args args() {
        return args;
    }

    Surroundings surroundings() {
        return surroundings;
    }

    UserFiles userFiles() {
        return new UserFiles(surroundings);
    }

    Instant now() {
        return surroundings.clock().instant();
    }

    /// Who types this; found on first use.
    Identity identity() {
        Identity known = identity;
        if (known == null) {
            known = Identity.resolve(args.value("actor"), surroundings);
            identity = known;
        }
        return known;
    }

    Actor actor() {
        return identity().actor();
    }

    /// The folder that `--root` or `RSM_ROOT` names, or null if the hive is to be found from here
    /// upwards.
    @Nullable Path namedRoot() {
        String root = args.value("root");
        if (root == null) {
            root = surroundings.variable("RSM_ROOT");
        }
        return root == null ? null : surroundings.cwd().resolve(root);
    }

    /// Tells people something beside the answer.
    void note(String text) {
        aside("rsm: " + text);
    }

    /// Tells people of something that is not as it should be, and did not stop the command.
    void warn(String text) {
        aside("rsm: warning: " + text);
    }

    /// Prints one item of an answer that has no end: a JSON line, or text for people.
    void stream(Json.Obj json, String text) {
        out.line(args.has("json") ? json.toString() : text);
        out.flush();
    }

    private void aside(String text) {
        if (!args.has("json") && !args.has("quiet")) {
            err.line(SafeText.line(text));
            err.flush();
        }
    }
}
