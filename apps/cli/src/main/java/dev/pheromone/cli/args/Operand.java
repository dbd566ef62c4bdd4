package dev.pheromone.cli.args;

import org.jspecify.annotations.Nullable;

import java.util.List;

/// One word of a command that is no option, known by its place.
///
/// @param placeholder what stands for it in help: `ID`, `BODY|-`; `FILE`, `PATH` and `DIR` complete
///   to files
public record Operand(
        String placeholder,
        String help,
        boolean required,
        boolean repeatable,
        List<String> choices) {

    /// As it is shown in a usage line: `ID`, `[ADDRESS]`, `[PATH…]`.
    public String usage() {
        String shown = repeatable ? placeholder + "…" : placeholder;
        return required ? shown : "[" + shown + "]";
    }

    public boolean isPath() {
        return isPath(placeholder);
    }

    static boolean isPath(@Nullable String placeholder) {
        return placeholder != null
                && (placeholder.startsWith("FILE")
                        || placeholder.startsWith("PATH")
                        || placeholder.startsWith("DIR"));
    }
}
