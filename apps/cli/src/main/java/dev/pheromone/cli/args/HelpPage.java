package dev.pheromone.cli.args;

import java.util.ArrayList;
import java.util.List;

/// The help of one command as text, made from its declaration.
public final class HelpPage {

    /// Longer left columns push their explanation to the next line, so that one long option does
    /// not squeeze all.
    private static final int TERM_WIDTH_MAX = 26;

    private static final int INDENT = 2;

    private final int width;
    private final StringBuilder page = new StringBuilder();

    private HelpPage(int width) {
        this.width = width;
    }

    /// The page of `spec`, wrapped at `width` columns.
    public static String of(Spec spec, List<Opt> everywhere, int width) {
        HelpPage help = new HelpPage(width);
        help.page
                .append("rsm ")
                .append(spec.name())
                .append(": ")
                .append(spec.summary())
                .append('\n');
        help.usages(spec);
        if (!spec.operands().isEmpty()) {
            help.page.append('\n');
            help.operands(spec);
        }
        help.options("Options", spec.opts());
        help.options("Everywhere", others(everywhere, spec));
        for (String note : spec.notes()) {
            help.page.append('\n');
            help.wrap(note, 0, 0);
        }
        help.examples(spec);
        return help.page.toString();
    }

    /// `terms` and their explanations in two columns.
    public static String columns(List<String> terms, List<String> explanations, int width) {
        HelpPage help = new HelpPage(width);
        help.twoColumns(terms, explanations);
        return help.page.toString();
    }

    private static List<Opt> others(List<Opt> everywhere, Spec spec) {
        List<Opt> others = new ArrayList<>();
        for (Opt opt : everywhere) {
            if (spec.opt(opt.name()) == null) {
                others.add(opt);
            }
        }
        return others;
    }

    private void usages(Spec spec) {
        String label = "Usage: ";
        for (String usage : spec.usages()) {
            page.append(label).append(usage).append('\n');
            label = "       ";
        }
    }

    private void operands(Spec spec) {
        List<String> terms = new ArrayList<>();
        List<String> explanations = new ArrayList<>();
        for (Operand operand : spec.operands()) {
            terms.add(operand.placeholder());
            explanations.add(operand.help());
        }
        twoColumns(terms, explanations);
    }

    private void options(String heading, List<Opt> opts) {
        if (opts.isEmpty()) {
            return;
        }
        page.append('\n').append(heading).append(":\n");
        List<String> terms = new ArrayList<>();
        List<String> explanations = new ArrayList<>();
        for (Opt opt : opts) {
            terms.add(opt.usage());
            explanations.add(explanation(opt));
        }
        twoColumns(terms, explanations);
    }

    private static String explanation(Opt opt) {
        String help = opt.help();
        if (opt.repeatable()) {
            help += " (repeatable)";
        }
        return opt.fallback() == null ? help : help + " (default " + opt.fallback() + ")";
    }

    private void examples(Spec spec) {
        page.append('\n').append(spec.examples().size() == 1 ? "Example:\n" : "Examples:\n");
        for (Spec.Example example : spec.examples()) {
            page.append("  ").append(example.command()).append('\n');
            wrap(example.meaning(), 6, 6);
        }
    }

    private void twoColumns(List<String> terms, List<String> explanations) {
        int longest = 0;
        for (String term : terms) {
            if (term.length() <= TERM_WIDTH_MAX) {
                longest = Math.max(longest, term.length());
            }
        }
        int start = INDENT + longest + 2;
        for (int i = 0; i < terms.size(); i++) {
            String term = terms.get(i);
            page.append(" ".repeat(INDENT)).append(term);
            if (INDENT + term.length() + 2 > start) {
                page.append('\n');
                wrap(explanations.get(i), start, start);
            } else {
                page.append(" ".repeat(start - INDENT - term.length()));
                wrap(explanations.get(i), 0, start);
            }
        }
    }

    /// Appends `text` from the current column, broken at spaces; the first line is already `indent
    /// - first` columns in.
    private void wrap(String text, int first, int indent) {
        page.append(" ".repeat(first));
        int column = indent;
        boolean lineIsEmpty = true;
        for (String word : text.split(" ", -1)) {
            if (!lineIsEmpty && column + 1 + word.length() > width) {
                page.append('\n').append(" ".repeat(indent));
                column = indent;
                lineIsEmpty = true;
            }
            if (!lineIsEmpty) {
                page.append(' ');
                column++;
            }
            page.append(word);
            column += word.length();
            lineIsEmpty = false;
        }
        page.append('\n');
    }
}
