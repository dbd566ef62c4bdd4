package dev.pheromone.cli;

import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.Command;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.EverywhereOptions;
import dev.pheromone.cli.frame.Exit;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.text.Json;

import java.util.ArrayList;
import java.util.List;

/// `rsm describe`: every command with all that it takes, for programs; made of the declarations
/// that parse the command line.
final class DescribeCommand implements Command {

    @Override
    public Spec spec() {
        return Spec.of("describe", Group.AGENTS, "describes all commands, as JSON for programs")
                .note(
                        "Commands with operands, options and examples, exit codes, and the codes of"
                            + " errors. The answers are in rsm schema, and what an agent must know"
                            + " of this hive is in rsm prime.")
                .example("rsm describe --json", "all of it, as one object")
                .build();
    }

    @Override
    public Answer run(Invocation call) {
        return new Description(Verbs.specs(Verbs.NAMES));
    }

    private record Description(List<Spec> specs) implements Answer {

        @Override
        public Json.Obj json() {
            List<Json> commands = new ArrayList<>();
            for (Spec spec : specs) {
                commands.add(new HelpAnswer(spec).declaration(List.of()));
            }
            List<Json> exits = new ArrayList<>();
            for (Exit exit : Exit.values()) {
                exits.add(Json.obj().put("exit", exit.code()).put("meaning", exit.meaning()));
            }
            List<Json> errors = new ArrayList<>();
            for (ErrorCode error : ErrorCode.values()) {
                errors.add(Json.obj().put("code", error.word()).put("exit", error.exit().code()));
            }
            return Json.obj()
                    .put("commands", Json.arr(commands))
                    .put("options", Json.arr(HelpAnswer.options(EverywhereOptions.ALL)))
                    .put("exits", Json.arr(exits))
                    .put("errors", Json.arr(errors));
        }

        /// People get the object, too: there is `rsm help` for them.
        @Override
        public void show(Screen screen) {
            screen.line(json().toString());
        }

        @Override
        public void showBriefly(Screen screen) {
            for (Spec spec : specs) {
                screen.line(spec.name());
            }
        }
    }
}
