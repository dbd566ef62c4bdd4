package dev.pheromone.cli;

import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.Command;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;
import dev.pheromone.text.Nearest;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/// `rsm schema`: the JSON Schemas of all answers, for programs that read them.
final class SchemaCommand implements Command {

    private static final String RESOURCE = "answers.schema.json";
    private static final String DEFINITIONS = "$defs";

    @Override
    public Spec spec() {
        return Spec.of("schema", Group.OPERATORS, "prints the JSON Schemas of all answers")
                .optional(
                        "COMMAND",
                        "only the answer of this command; error is the shape of every failure")
                .example("rsm schema send", "what rsm send --json prints")
                .build();
    }

    @Override
    public Answer run(Invocation call) throws IOException {
        Json.Obj all = load();
        String name = call.args().operand(0);
        if (name == null) {
            return new Schema(all);
        }
        Json.Obj definitions = all.object(DEFINITIONS);
        if (!definitions.has(name)) {
            List<String> nearest = Nearest.to(name, definitions.names());
            CliException unknown =
                    new CliException(
                            ErrorCode.USAGE,
                            "no schema of \"" + name + "\", expected a command's name");
            throw nearest.isEmpty()
                    ? unknown
                    : unknown.hint("did you mean " + nearest.getFirst() + "?")
                            .fix("rsm schema " + nearest.getFirst());
        }
        return new Schema(
                Json.obj()
                        .put("$schema", all.text("$schema"))
                        .put("$ref", "#/" + DEFINITIONS + "/" + name)
                        .put(DEFINITIONS, definitions));
    }

    static Json.Obj load() throws IOException {
        try (InputStream in = SchemaCommand.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException("resource " + RESOURCE + " is missing");
            }
            return (Json.Obj) Json.parse(in.readAllBytes());
        } catch (MalformedJsonException e) {
            throw new IllegalStateException("resource " + RESOURCE + " is malformed", e);
        }
    }

    private record Schema(Json.Obj schema) implements Answer {

        @Override
        public Json.Obj json() {
            return Json.obj().put("schema", schema);
        }

        @Override
        public void show(Screen screen) {
            screen.line(schema.toString());
        }

        @Override
        public void showBriefly(Screen screen) {
            show(screen);
        }
    }
}
