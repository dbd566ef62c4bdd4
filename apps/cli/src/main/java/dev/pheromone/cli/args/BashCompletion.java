package dev.pheromone.cli.args;

import java.util.List;

/// The completion script for bash.
///
/// Plain `compgen` on word lists: it works without the bash-completion package, and with the bash
/// 3.2 of macOS.
public final class BashCompletion {

    private BashCompletion() {}

    public static String script(List<Spec> specs, List<Opt> everywhere) {
        StringBuilder script = new StringBuilder();
        script.append("# bash completion for rsm; made by: rsm completion bash\n");
        script.append("_rsm() {\n");
        script.append(
                "    local cur=\"${COMP_WORDS[COMP_CWORD]}\""
                        + " prev=\"${COMP_WORDS[COMP_CWORD-1]}\"\n");
        script.append("    local verb= i word\n");
        script.append("    for ((i = 1; i < COMP_CWORD; i++)); do\n");
        script.append("        word=\"${COMP_WORDS[i]}\"\n");
        script.append("        case \"$word\" in\n");
        for (Opt opt : everywhere) {
            if (!opt.isFlag()) {
                script.append("            --").append(opt.name()).append(") i=$((i + 1)) ;;\n");
            }
        }
        script.append("            -*) ;;\n");
        script.append("            *) verb=\"$word\"; break ;;\n");
        script.append("        esac\n");
        script.append("    done\n");
        script.append("    COMPREPLY=()\n");
        script.append("    case \"$verb\" in\n");
        script.append("        '')\n");
        branch(script, List.of(), everywhere, names(specs));
        for (Spec spec : specs) {
            script.append("        ").append(spec.name()).append(")\n");
            branch(script, spec.opts(), everywhere, operandWords(spec));
        }
        script.append("    esac\n");
        script.append("}\n");
        script.append("complete -o default -F _rsm rsm\n");
        return script.toString();
    }

    private static void branch(
            StringBuilder script, List<Opt> own, List<Opt> everywhere, String operands) {
        script.append("            case \"$prev\" in\n");
        values(script, own);
        values(script, everywhere);
        script.append("            esac\n");
        script.append("            case \"$cur\" in\n");
        script.append("                -*) COMPREPLY=($(compgen -W \"");
        optionWords(script, own);
        optionWords(script, everywhere);
        script.append("\" -- \"$cur\")) ;;\n");
        if (!operands.isEmpty()) {
            script.append("                *) COMPREPLY=($(compgen -W \"").append(operands);
            script.append("\" -- \"$cur\")) ;;\n");
        }
        script.append("            esac ;;\n");
    }

    private static void values(StringBuilder script, List<Opt> opts) {
        for (Opt opt : opts) {
            if (opt.isFlag()) {
                continue;
            }
            script.append("                --").append(opt.name()).append(") ");
            if (!opt.choices().isEmpty()) {
                script.append("COMPREPLY=($(compgen -W \"").append(String.join(" ", opt.choices()));
                script.append("\" -- \"$cur\")); ");
            } else if (opt.isPath()) {
                script.append("COMPREPLY=($(compgen -f -- \"$cur\")); ");
            }
            script.append("return ;;\n");
        }
    }

    private static void optionWords(StringBuilder script, List<Opt> opts) {
        for (Opt opt : opts) {
            script.append("--").append(opt.name()).append(' ');
        }
    }

    private static String operandWords(Spec spec) {
        StringBuilder words = new StringBuilder();
        for (Operand operand : spec.operands()) {
            for (String choice : operand.choices()) {
                words.append(words.isEmpty() ? "" : " ").append(choice);
            }
        }
        return words.toString();
    }

    private static String names(List<Spec> specs) {
        StringBuilder words = new StringBuilder();
        for (Spec spec : specs) {
            words.append(words.isEmpty() ? "" : " ").append(spec.name());
        }
        return words.toString();
    }
}
