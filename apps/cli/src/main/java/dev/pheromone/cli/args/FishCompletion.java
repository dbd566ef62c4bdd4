package dev.pheromone.cli.args;

import java.util.List;

/// The completion script for fish.
public final class FishCompletion {

    private FishCompletion() {}

    public static String script(List<Spec> specs, List<Opt> everywhere) {
        StringBuilder script = new StringBuilder();
        script.append("# fish completion for rsm; made by: rsm completion fish\n");
        script.append("complete -c rsm -f\n");
        for (Opt opt : everywhere) {
            option(script, opt, "");
        }
        for (Spec spec : specs) {
            script.append("complete -c rsm -n __fish_use_subcommand -a ").append(spec.name());
            script.append(" -d ").append(quoted(spec.summary())).append('\n');
        }
        for (Spec spec : specs) {
            String condition = " -n '__fish_seen_subcommand_from " + spec.name() + "'";
            for (Opt opt : spec.opts()) {
                option(script, opt, condition);
            }
            for (Operand operand : spec.operands()) {
                if (!operand.choices().isEmpty()) {
                    script.append("complete -c rsm").append(condition).append(" -a ");
                    script.append(quoted(String.join(" ", operand.choices()))).append('\n');
                } else if (operand.isPath()) {
                    script.append("complete -c rsm").append(condition).append(" -F\n");
                }
            }
        }
        return script.toString();
    }

    private static void option(StringBuilder script, Opt opt, String condition) {
        script.append("complete -c rsm").append(condition).append(" -l ").append(opt.name());
        if (opt.letter() != 0) {
            script.append(" -s ").append(opt.letter());
        }
        if (!opt.isFlag()) {
            script.append(opt.isPath() ? " -r -F" : " -x");
        }
        if (!opt.choices().isEmpty()) {
            script.append(" -a ").append(quoted(String.join(" ", opt.choices())));
        }
        script.append(" -d ").append(quoted(opt.help())).append('\n');
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
