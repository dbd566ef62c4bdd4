package dev.pheromone.hooks;

import java.util.List;

/// One word of a command as it was written, before anything in it is expanded.
record Word(List<Part> parts) {
    static final Word EMPTY = new Word(List.of());

    Word {
        parts = List.copyOf(parts);
    }

    /// A piece of a word, with its own rules of expansion.
    sealed interface Part {}

    /// Text outside quotes: wildcards, braces and a tilde mean something in it.
    record Bare(String text) implements Part {}

    /// Text inside quotes: just text.
    record Quoted(String text) implements Part {}

    /// `$name` or `${name…}`. The operator is what follows the name, such as `:-`, and the operand
    /// what follows that; `index` is the text in brackets.
    record Variable(String name, String index, String operator, Word operand, boolean quoted)
            implements Part {}

    /// `$(…)` or backticks.
    record Substitution(ShellTree body, boolean quoted) implements Part {}

    /// `<(…)` or `>(…)`.
    record Pipe(ShellTree body) implements Part {}

    /// `$((…))`, with what is expanded in it.
    record Calculation(String text, Word inner) implements Part {}

    static Word quoted(String text) {
        return new Word(List.of(new Quoted(text)));
    }

    /// Whether this is exactly the bare word `text`, as reserved words must be.
    boolean isBare(String text) {
        return parts.size() == 1
                && parts.getFirst() instanceof Bare(String bare)
                && bare.equals(text);
    }
}
