package dev.pheromone.cli;

import dev.pheromone.cli.args.Spec;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/// Every verb of `rsm`. A command line makes the one object it names, so that no other verb's
/// classes are loaded.
final class Verbs {

    /// All of them, in the order in which help lists them.
    static final List<String> NAMES = List.of("completion", "help");

    /// Those that plain `rsm` shows.
    static final List<String> FIRST = List.of("help");

    private Verbs() {}

    /// The command of this name, or null.
    static @Nullable Command named(String name) {
        return switch (name) {
            case "completion" -> new CompletionCommand();
            case "help" -> new HelpCommand();
            default -> null;
        };
    }

    /// The declarations of `names`.
    static List<Spec> specs(List<String> names) {
        List<Spec> specs = new ArrayList<>();
        for (String name : names) {
            Command command = named(name);
            if (command == null) {
                throw new IllegalArgumentException("no verb \"" + name + "\"");
            }
            specs.add(command.spec());
        }
        return specs;
    }
}
