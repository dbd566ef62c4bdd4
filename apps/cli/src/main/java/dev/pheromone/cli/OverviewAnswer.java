package dev.pheromone.cli;

import dev.pheromone.cli.args.HelpPage;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.text.Json;

import java.util.ArrayList;
import java.util.List;

/// The answer to plain `rsm`: the commands of every day, one line each.
record OverviewAnswer() implements Answer {

    @Override
    public Json.Obj json() {
        return HelpAnswer.list(Verbs.specs(Verbs.FIRST));
    }

    @Override
    public void show(Screen screen) {
        screen.line(
                "rsm: mail and signals between agents and people, as plain files in a repository");
        screen.blank();
        List<String> names = new ArrayList<>();
        List<String> summaries = new ArrayList<>();
        for (Spec spec : Verbs.specs(Verbs.FIRST)) {
            names.add(spec.name());
            summaries.add(spec.summary());
        }
        screen.text(HelpPage.columns(names, summaries, screen.textColumns()));
        screen.blank();
        screen.line("One command:   rsm COMMAND --help");
        screen.line("All commands:  rsm help all");
    }
}
