package dev.pheromone.cli.args;

import org.jspecify.annotations.Nullable;

import java.util.List;

/// One option of a command: parsed, explained and completed from this one declaration.
///
/// @param placeholder what stands for the value in help, or null for a flag; `FILE`, `PATH` and
///   `DIR` complete to files
/// @param fallback the value when the option is not given
/// @param letter the one-letter form, or 0
public record Opt(
        String name,
        @Nullable String placeholder,
        String help,
        boolean repeatable,
        @Nullable String fallback,
        List<String> choices,
        char letter) {

    /// An option that is there or not.
    public static Opt flag(String name, String help) {
        return new Opt(name, null, help, false, null, List.of(), (char) 0);
    }

    /// An option with a value.
    public static Opt value(String name, String placeholder, String help) {
        return new Opt(name, placeholder, help, false, null, List.of(), (char) 0);
    }

    /// An option whose value is one of `choices`, compared without case.
    public static Opt choice(String name, String help, List<String> choices) {
        return new Opt(name, String.join("|", choices), help, false, null, choices, (char) 0);
    }

    public Opt repeated() {
        return new Opt(name, placeholder, help, true, fallback, choices, letter);
    }

    public Opt withFallback(String value) {
        return new Opt(name, placeholder, help, repeatable, value, choices, letter);
    }

    public Opt withLetter(char c) {
        return new Opt(name, placeholder, help, repeatable, fallback, choices, c);
    }

    public boolean isFlag() {
        return placeholder == null;
    }

    /// Whether the value names a file or folder.
    public boolean isPath() {
        return Operand.isPath(placeholder);
    }

    /// Whether `typed`, without a value, is this option.
    boolean isTypedAs(String typed) {
        if (typed.startsWith("--")) {
            return typed.length() == name.length() + 2 && typed.endsWith(name);
        }
        return letter != 0 && typed.length() == 2 && typed.charAt(1) == letter;
    }

    /// As it is typed: `--to ADDRESS`, `-q, --quiet`.
    public String usage() {
        String typed = letter == 0 ? "--" + name : "-" + letter + ", --" + name;
        return placeholder == null ? typed : typed + " " + placeholder;
    }
}
