package dev.pheromone.cli.args;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/// The declaration of one command: all that its parser, its help page and the shell's completion
/// know of it.
public record Spec(
        String name,
        Group group,
        String summary,
        List<String> usages,
        List<Operand> operands,
        List<Opt> opts,
        List<String> notes,
        List<Example> examples) {

    /// A command line that works as it stands, and what it does.
    public record Example(String command, String meaning) {}

    public Spec {
        usages = List.copyOf(usages);
        operands = List.copyOf(operands);
        opts = List.copyOf(opts);
        notes = List.copyOf(notes);
        examples = List.copyOf(examples);
    }

    /// Starts the declaration of `rsm name`; `summary` is a verb phrase without a full stop.
    public static Builder of(String name, Group group, String summary) {
        return new Builder(name, group, summary);
    }

    /// The declared option of this name, or null.
    public @Nullable Opt opt(String optName) {
        for (Opt opt : opts) {
            if (opt.name().equals(optName)) {
                return opt;
            }
        }
        return null;
    }

    /// Collects the parts of a declaration in the order in which help shows them.
    public static final class Builder {
        private final String name;
        private final Group group;
        private final String summary;
        private final List<String> usages = new ArrayList<>();
        private final List<Operand> operands = new ArrayList<>();
        private final List<Opt> opts = new ArrayList<>();
        private final List<String> notes = new ArrayList<>();
        private final List<Example> examples = new ArrayList<>();

        private Builder(String name, Group group, String summary) {
            this.name = name;
            this.group = group;
            this.summary = summary;
        }

        /// A usage line where the one made from operands and options would not tell enough.
        public Builder usage(String line) {
            usages.add(line);
            return this;
        }

        public Builder required(String placeholder, String help) {
            operands.add(new Operand(placeholder, help, true, false, List.of()));
            return this;
        }

        public Builder optional(String placeholder, String help) {
            operands.add(new Operand(placeholder, help, false, false, List.of()));
            return this;
        }

        public Builder required(String placeholder, String help, List<String> choices) {
            operands.add(new Operand(placeholder, help, true, false, choices));
            return this;
        }

        public Builder optional(String placeholder, String help, List<String> choices) {
            operands.add(new Operand(placeholder, help, false, false, choices));
            return this;
        }

        /// The last operand, given any number of times, at least once.
        public Builder oneOrMore(String placeholder, String help) {
            operands.add(new Operand(placeholder, help, true, true, List.of()));
            return this;
        }

        /// The last operand, given any number of times.
        public Builder anyNumberOf(String placeholder, String help) {
            operands.add(new Operand(placeholder, help, false, true, List.of()));
            return this;
        }

        public Builder opt(Opt opt) {
            opts.add(opt);
            return this;
        }

        /// A paragraph below the options.
        public Builder note(String paragraph) {
            notes.add(paragraph);
            return this;
        }

        public Builder example(String command, String meaning) {
            examples.add(new Example(command, meaning));
            return this;
        }

        public Spec build() {
            if (usages.isEmpty()) {
                usages.add(usageOfParts());
            }
            return new Spec(name, group, summary, usages, operands, opts, notes, examples);
        }

        private String usageOfParts() {
            StringBuilder line = new StringBuilder("rsm ").append(name);
            for (Operand operand : operands) {
                line.append(' ').append(operand.usage());
            }
            return opts.isEmpty() ? line.toString() : line.append(" [options]").toString();
        }
    }
}
