package dev.pheromone.cli;

import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.HelpPage;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.Command;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.text.Json;
import dev.pheromone.text.Nearest;

import java.util.ArrayList;
import java.util.List;

/// `rsm help`: the commands of every day, all commands, or one.
final class HelpCommand implements Command {

    private static final String ALL = "all";

    @Override
    public Spec spec() {
        return Spec.of("help", Group.HUMANS, "explains a command, or lists them all")
                .optional("COMMAND|all", "the command to explain; all lists every command")
                .example("rsm help all", "lists every command, by what it is for")
                .example("rsm help send", "explains rsm send, as rsm send --help does")
                .build();
    }

    @Override
    public Answer run(Invocation call) {
        String name = call.args().operand(0);
        if (name == null) {
            return new OverviewAnswer();
        }
        if (name.equals(ALL)) {
            return new AllCommands(Verbs.specs(Verbs.NAMES));
        }
        Command command = Verbs.named(name);
        if (command == null) {
            List<String> nearest = Nearest.to(name, Verbs.NAMES);
            CliException unknown =
                    new CliException(ErrorCode.USAGE, "unknown command \"" + name + "\"");
            throw nearest.isEmpty()
                    ? unknown.hint("all commands:").fix("rsm help all")
                    : unknown.hint("did you mean " + nearest.getFirst() + "?")
                            .fix("rsm help " + nearest.getFirst());
        }
        return new HelpAnswer(command.spec());
    }

    /// Every command under the heading of its group.
    private record AllCommands(List<Spec> specs) implements Answer {

        @Override
        public Json.Obj json() {
            return HelpAnswer.list(specs);
        }

        @Override
        public void show(Screen screen) {
            String separator = "";
            for (Group group : Group.values()) {
                List<String> names = new ArrayList<>();
                List<String> summaries = new ArrayList<>();
                for (Spec spec : specs) {
                    if (spec.group() == group) {
                        names.add(spec.name());
                        summaries.add(spec.summary());
                    }
                }
                if (!names.isEmpty()) {
                    screen.text(separator + group.heading() + ":\n");
                    screen.text(HelpPage.columns(names, summaries, screen.textColumns()));
                    separator = "\n";
                }
            }
        }

        @Override
        public void showBriefly(Screen screen) {
            for (Spec spec : specs) {
                screen.line(spec.name());
            }
        }
    }
}
