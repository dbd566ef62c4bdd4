package dev.pheromone.cli.args;

import dev.pheromone.session.caller.Phrase;
import dev.pheromone.text.Nearest;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Takes a command line apart by the declarations of its options.
///
/// `--name value`, `--name=value`, `--flag`, `-x`; `--` ends the options; `-` alone is an operand.
/// Options of every command may stand before the command's name too.
public final class ArgsParser {

    private final List<Opt> everywhere;
    private final List<Opt> alone;

    /// @param everywhere the options that every command has
    /// @param alone the options of a line without a command
    public ArgsParser(List<Opt> everywhere, List<Opt> alone) {
        this.everywhere = List.copyOf(everywhere);
        this.alone = List.copyOf(alone);
    }

    /// Where in `line` the command's name stands, or -1 if there is none.
    public int commandIndex(CommandLine line) {
        List<String> words = line.words();
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (!isOption(word)) {
                return i;
            }
            Opt opt = find(everywhere, word);
            if (opt == null) {
                opt = find(alone, word);
            }
            if (word.equals("-v") || word.equals("-V")) {
                throw new UsageException(
                        "unknown option " + word, "did you mean --version?", "rsm --version");
            }
            if (opt == null) {
                throw new UsageException(
                        "unknown option " + optionPart(word) + " before the command",
                        "options of a command come after its name",
                        "rsm help");
            }
            if (!opt.isFlag() && word.indexOf('=') < 0) {
                i++;
            }
        }
        return -1;
    }

    /// Parses a line without a command.
    public Args parseWithoutCommand(CommandLine line) {
        return new Reading(line, -1, null).parse();
    }

    /// Parses all of `line` except the command's name at `commandIndex`.
    public Args parse(CommandLine line, int commandIndex, Spec spec) {
        return new Reading(line, commandIndex, spec).parse();
    }

    private static boolean isOption(String word) {
        return word.length() > 1 && word.charAt(0) == '-';
    }

    private static String optionPart(String word) {
        int equals = word.indexOf('=');
        return equals < 0 ? word : word.substring(0, equals);
    }

    private static @Nullable Opt find(Iterable<Opt> opts, String word) {
        String typed = optionPart(word);
        for (Opt opt : opts) {
            if (opt.isTypedAs(typed)) {
                return opt;
            }
        }
        return null;
    }

    /// One line while it is being read.
    private final class Reading {
        private final CommandLine line;
        private final List<String> words;
        private final int commandIndex;
        private final @Nullable Spec spec;
        private final Map<String, Opt> declared = new LinkedHashMap<>();
        private final Map<String, List<String>> given = new LinkedHashMap<>();
        private final List<String> operands = new ArrayList<>();

        Reading(CommandLine line, int commandIndex, @Nullable Spec spec) {
            this.line = line;
            this.words = line.words();
            this.commandIndex = commandIndex;
            this.spec = spec;
            declare(everywhere);
            // A command may give one of these names a meaning of its own.
            declare(spec == null ? alone : spec.opts());
        }

        private void declare(List<Opt> opts) {
            for (Opt opt : opts) {
                declared.put(opt.name(), opt);
            }
        }

        Args parse() {
            boolean optionsEnded = false;
            for (int i = 0; i < words.size(); i++) {
                String word = words.get(i);
                if (i == commandIndex) {
                    continue;
                }
                if (optionsEnded || !isOption(word)) {
                    operands.add(word);
                } else if (word.equals("--")) {
                    optionsEnded = true;
                } else {
                    i = option(i);
                }
            }
            if (!given.containsKey("help")) {
                checkOperands();
            }
            return new Args(declared, given, operands);
        }

        /// Takes the option at `i`, and returns the index of its last word.
        private int option(int i) {
            String word = words.get(i);
            Opt opt = find(declared.values(), word);
            if (opt == null) {
                throw unknown(i);
            }
            int equals = word.indexOf('=');
            if (opt.isFlag()) {
                if (equals >= 0) {
                    throw new UsageException(
                            "option --"
                                    + opt.name()
                                    + " takes no value, found \""
                                    + word.substring(equals + 1)
                                    + "\"",
                            null,
                            line.with(i, "--" + opt.name()).toString());
                }
                given.put(opt.name(), List.of());
                return i;
            }
            if (equals >= 0) {
                take(opt, word.substring(equals + 1));
                return i;
            }
            if (i + 1 >= words.size() || isTypedOption(words.get(i + 1))) {
                String found =
                        i + 1 < words.size()
                                ? ", found option " + optionPart(words.get(i + 1))
                                : "";
                throw new UsageException(
                        "option --" + opt.name() + " needs a value " + opt.placeholder() + found,
                        null,
                        helpCommand());
            }
            take(opt, words.get(i + 1));
            return i + 1;
        }

        private boolean isTypedOption(String word) {
            return isOption(word) && (word.equals("--") || find(declared.values(), word) != null);
        }

        private void take(Opt opt, String typed) {
            String value =
                    opt.choices().isEmpty()
                            ? typed
                            : choose("option --" + opt.name(), typed, opt.choices());
            List<String> values = given.get(opt.name());
            if (values == null) {
                values = new ArrayList<>();
                given.put(opt.name(), values);
            } else if (!opt.repeatable()) {
                throw new UsageException(
                        "option --"
                                + opt.name()
                                + " is given twice: \""
                                + values.getFirst()
                                + "\" and \""
                                + value
                                + "\", expected once");
            }
            values.add(value);
        }

        private void checkOperands() {
            if (spec == null) {
                return;
            }
            List<Operand> expected = spec.operands();
            for (int i = 0; i < expected.size(); i++) {
                Operand operand = expected.get(i);
                if (i >= operands.size()) {
                    if (operand.required()) {
                        throw new UsageException(
                                "rsm "
                                        + spec.name()
                                        + " needs "
                                        + operand.placeholder()
                                        + ": "
                                        + operand.help(),
                                "usage: " + spec.usages().getFirst(),
                                helpCommand());
                    }
                } else if (!operand.choices().isEmpty()) {
                    operands.set(
                            i, choose(operand.placeholder(), operands.get(i), operand.choices()));
                }
            }
            boolean open = !expected.isEmpty() && expected.getLast().repeatable();
            if (!open && operands.size() > expected.size()) {
                throw new UsageException(
                        "unexpected word \""
                                + operands.get(expected.size())
                                + "\" after rsm "
                                + spec.name(),
                        "text with spaces goes in quotes; usage: " + spec.usages().getFirst(),
                        helpCommand());
            }
        }

        private String choose(String thing, String typed, List<String> choices) {
            for (String choice : choices) {
                if (choice.equalsIgnoreCase(typed)) {
                    return choice;
                }
            }
            List<String> nearest = Nearest.to(typed, choices);
            throw new UsageException(
                    thing + ": found \"" + typed + "\", expected " + Phrase.or(choices),
                    nearest.isEmpty() ? null : "did you mean " + nearest.getFirst() + "?",
                    nearest.isEmpty()
                            ? helpCommand()
                            : line.replacing(typed, nearest.getFirst()).toString());
        }

        private UsageException unknown(int i) {
            String typed = optionPart(words.get(i));
            String of = spec == null ? "" : " of rsm " + spec.name();
            if (typed.startsWith("--")) {
                List<String> nearest = Nearest.to(typed.substring(2), declared.keySet());
                if (!nearest.isEmpty()) {
                    String name = "--" + nearest.getFirst();
                    return new UsageException(
                            "unknown option " + typed + of,
                            "did you mean " + name + "?",
                            line.with(i, name + words.get(i).substring(typed.length())).toString());
                }
            }
            // Options are single words; a text is more, or a number.
            boolean isText = words.get(i).indexOf(' ') >= 0 || Character.isDigit(typed.charAt(1));
            return new UsageException(
                    "unknown option " + typed + of,
                    isText ? "text that begins with a dash goes after --" : "its options:",
                    helpCommand());
        }

        private String helpCommand() {
            return spec == null ? "rsm help" : "rsm " + spec.name() + " --help";
        }
    }
}
