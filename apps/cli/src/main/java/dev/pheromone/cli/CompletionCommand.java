package dev.pheromone.cli;

import dev.pheromone.cli.args.BashCompletion;
import dev.pheromone.cli.args.FishCompletion;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.args.ZshCompletion;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.Command;
import dev.pheromone.cli.frame.EverywhereOptions;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.text.Json;

import java.util.List;

/// `rsm completion`: the script that teaches a shell to complete our commands.
final class CompletionCommand implements Command {

    /// What the scripts say about themselves.
    static final String MARK = "made by: rsm completion";

    static final List<String> SHELLS = List.of("bash", "zsh", "fish");

    @Override
    public Spec spec() {
        return Spec.of("completion", Group.OPERATORS, "prints the completion script of a shell")
                .required("SHELL", "bash, zsh or fish", SHELLS)
                .example(
                        "source <(rsm completion bash)",
                        "completes rsm in this bash, until it ends")
                .example(
                        "rsm completion fish > ~/.config/fish/completions/rsm.fish",
                        "completes rsm in every fish")
                .build();
    }

    @Override
    public Answer run(Invocation call) {
        String shell = String.valueOf(call.args().operand(0));
        return new Script(shell, script(shell));
    }

    /// The script for one of [#SHELLS].
    static String script(String shell) {
        List<Spec> specs = Verbs.specs(Verbs.NAMES);
        return switch (shell) {
            case "bash" -> BashCompletion.script(specs, EverywhereOptions.ALL);
            case "zsh" -> ZshCompletion.script(specs, EverywhereOptions.ALL);
            case "fish" -> FishCompletion.script(specs, EverywhereOptions.ALL);
            default ->
                    throw new IllegalArgumentException(
                            "shell \"" + shell + "\", expected bash, zsh or fish");
        };
    }

    private record Script(String shell, String text) implements Answer {

        @Override
        public Json.Obj json() {
            return Json.obj().put("shell", shell).put("script", text);
        }

        @Override
        public void show(Screen screen) {
            screen.text(text);
        }

        @Override
        public void showBriefly(Screen screen) {
            show(screen);
        }
    }
}
