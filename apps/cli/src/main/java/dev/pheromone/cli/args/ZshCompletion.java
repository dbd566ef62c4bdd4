package dev.pheromone.cli.args;

import java.util.List;

/// The completion script for zsh: the same words as bash's, with their explanations.
public final class ZshCompletion {

    private ZshCompletion() {}

    public static String script(List<Spec> specs, List<Opt> everywhere) {
        StringBuilder script = new StringBuilder();
        script.append("#compdef rsm\n");
        script.append("# zsh completion for rsm; made by: rsm completion zsh\n");
        script.append("_rsm() {\n");
        script.append("    local context state state_descr line\n");
        script.append("    typeset -A opt_args\n");
        script.append("    local -a everywhere=(\n");
        for (Opt opt : everywhere) {
            option(script, opt, "        ");
        }
        script.append("    )\n");
        script.append("    _arguments -C $everywhere '1:command:->verb' '*::word:->words'\n");
        script.append("    case $state in\n");
        script.append("        verb)\n");
        script.append("            local -a verbs=(\n");
        for (Spec spec : specs) {
            script.append("                ")
                    .append(quoted(spec.name() + ":" + spec.summary()))
                    .append('\n');
        }
        script.append("            )\n");
        script.append("            _describe command verbs ;;\n");
        script.append("        words)\n");
        script.append("            case $line[1] in\n");
        for (Spec spec : specs) {
            verb(script, spec);
        }
        script.append("            esac ;;\n");
        script.append("    esac\n");
        script.append("}\n");
        script.append(
                "if [ \"$funcstack[1]\" = _rsm ]; then _rsm \"$@\"; else compdef _rsm rsm; fi\n");
        return script.toString();
    }

    private static void verb(StringBuilder script, Spec spec) {
        script.append("                ").append(spec.name()).append(")\n");
        script.append("                    _arguments $everywhere \\\n");
        for (Opt opt : spec.opts()) {
            option(script, opt, "                        ");
            script.setLength(script.length() - 1);
            script.append(" \\\n");
        }
        for (int i = 0; i < spec.operands().size(); i++) {
            Operand operand = spec.operands().get(i);
            String place = operand.repeatable() ? "*" : String.valueOf(i + 1);
            String action = action(operand.choices(), operand.isPath());
            script.append("                        ");
            script.append(
                    quoted(
                            place
                                    + (operand.repeatable() ? ":" : "::")
                                    + label(operand.placeholder())
                                    + action));
            script.append(" \\\n");
        }
        script.append("                        && return ;;\n");
    }

    private static void option(StringBuilder script, Opt opt, String indent) {
        StringBuilder spec = new StringBuilder();
        if (opt.repeatable()) {
            spec.append('*');
        }
        spec.append("--").append(opt.name());
        if (!opt.isFlag()) {
            spec.append('=');
        }
        spec.append('[').append(opt.help().replace("[", "\\[").replace("]", "\\]")).append(']');
        if (opt.placeholder() != null) {
            spec.append(':')
                    .append(label(opt.placeholder()))
                    .append(action(opt.choices(), opt.isPath()));
        }
        script.append(indent).append(quoted(spec.toString())).append('\n');
    }

    private static String action(List<String> choices, boolean isPath) {
        return choices.isEmpty()
                ? isPath ? ":_files" : ": "
                : ":(" + String.join(" ", choices) + ")";
    }

    private static String label(String placeholder) {
        return placeholder.replace(":", "\\:");
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }
}
