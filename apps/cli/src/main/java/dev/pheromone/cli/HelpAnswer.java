package dev.pheromone.cli;

import dev.pheromone.cli.args.HelpPage;
import dev.pheromone.cli.args.Operand;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.EverywhereOptions;
import dev.pheromone.cli.frame.ListAnswer;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.text.Json;

import java.util.ArrayList;
import java.util.List;

/// The help page of one command; with `--json` its whole declaration.
record HelpAnswer(Spec spec) implements Answer {

    @Override
    public Json.Obj json() {
        return declaration(EverywhereOptions.ALL);
    }

    /// All that the command takes, and `more` options that it shares with others.
    Json.Obj declaration(List<Opt> more) {
        List<Json> operands = new ArrayList<>();
        for (Operand operand : spec.operands()) {
            operands.add(
                    Json.obj()
                            .put("name", operand.placeholder())
                            .put("help", operand.help())
                            .put("required", operand.required())
                            .put("repeatable", operand.repeatable())
                            .putTexts("choices", operand.choices()));
        }
        List<Json> options = new ArrayList<>(options(spec.opts()));
        options.addAll(options(more));
        List<Json> examples = new ArrayList<>();
        for (Spec.Example example : spec.examples()) {
            examples.add(
                    Json.obj().put("command", example.command()).put("meaning", example.meaning()));
        }
        return summary(spec)
                .putTexts("usage", spec.usages())
                .put("operands", Json.arr(operands))
                .put("options", Json.arr(options))
                .putTexts("notes", spec.notes())
                .put("examples", Json.arr(examples));
    }

    /// The list answer that names `specs`.
    static Json.Obj list(List<Spec> specs) {
        List<Json> items = new ArrayList<>();
        for (Spec spec : specs) {
            items.add(summary(spec));
        }
        return ListAnswer.whole(items);
    }

    @Override
    public void show(Screen screen) {
        screen.text(HelpPage.of(spec, EverywhereOptions.ALL, screen.textColumns()));
    }

    @Override
    public void showBriefly(Screen screen) {
        for (String usage : spec.usages()) {
            screen.line(usage);
        }
    }

    private static Json.Obj summary(Spec spec) {
        return Json.obj()
                .put("name", spec.name())
                .put("group", spec.group().word())
                .put("summary", spec.summary());
    }

    static List<Json> options(List<Opt> opts) {
        List<Json> options = new ArrayList<>();
        for (Opt opt : opts) {
            Json.Obj option =
                    Json.obj()
                            .put("name", "--" + opt.name())
                            .putIfPresent("value", opt.placeholder())
                            .put("help", opt.help())
                            .put("repeatable", opt.repeatable())
                            .putIfPresent("default", opt.fallback())
                            .putTexts("choices", opt.choices());
            options.add(option);
        }
        return options;
    }
}
