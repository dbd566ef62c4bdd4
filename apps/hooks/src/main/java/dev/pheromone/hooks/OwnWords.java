package dev.pheromone.hooks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/// `rsm` anywhere in a command: run by a shell, by Java, by a launcher that nobody knows, or given
/// another name. Whatever runs it, what is for people stays so.
final class OwnWords {
    private static final Pattern NAME =
            Pattern.compile(
                    "rsm(?:\\.(?:cmd|bat|exe|sh))?|(?:rsm|pheromone-cli)[^/]*\\.jar",
                    Pattern.CASE_INSENSITIVE);

    private static final String MAIN_CLASS = "dev.pheromone.cli.main";

    /// They run a text, or words that make one.
    private static final Set<String> TEXT_RUNNERS =
            Set.of("ssh", "mosh", "npx", "bunx", "pnpx", "systemd-run", "docker", "podman");

    private static final Set<String> RUNNERS = Set.of("java", "javaw", ".", "source");

    /// They give a file another name, or a copy that has one.
    private static final Set<String> NAMING =
            Set.of(
                    "cp", "gcp", "mv", "gmv", "ln", "gln", "link", "install", "rsync", "scp", "dd",
                    "hash", "alias");

    private static final Pattern BETWEEN_WORDS = Pattern.compile("[^\\w./:@+-]+");

    private OwnWords() {}

    /// Whether the word is a path of `rsm`, of its archive, or the name of its main class.
    static boolean isNamed(Shape word) {
        Shape name = word.name();
        return (name.isPlain() && NAME.matcher(name.toString()).matches())
                || (word.isPlain()
                        && word.toString()
                                .toLowerCase(Locale.ROOT)
                                .replace('/', '.')
                                .endsWith(MAIN_CLASS));
    }

    /// Notes what a command of these words would do that is for people.
    static void note(List<Shape> command, TouchLog log) {
        Shape first = command.getFirst();
        if (isNamed(first)) {
            OwnCommand.notePeoples(command.subList(1, command.size()), true, log);
            // The rest is what it is told.
            return;
        }
        if (!first.isPlain() && (first.hasGap() || Overlap.of(first.name(), Shape.of("rsm")))) {
            OwnCommand.notePeoples(command.subList(1, command.size()), false, log);
        }
        String program = first.isPlain() ? first.toString() : "";
        String known = program.substring(program.lastIndexOf('/') + 1);
        if (NAMING.contains(known) && isRenamed(command)) {
            log.forPeople("giving rsm another name");
        }
        boolean runsText = runsText(known, command);
        boolean runs = runsText || RUNNERS.contains(known) || Programs.runsCommands(first);
        List<Shape> words = runsText ? takenApart(command) : command;
        for (int i = 1; i < words.size(); i++) {
            if (isNamed(words.get(i))) {
                OwnCommand.notePeoples(words.subList(i + 1, words.size()), runs, log);
            }
        }
    }

    /// Notes what a text would do that is for people, if something ran it.
    static void noteText(String text, TouchLog log) {
        List<Shape> words = takenApart(List.of(Shape.of(text)));
        for (int i = 0; i < words.size(); i++) {
            if (isNamed(words.get(i))) {
                OwnCommand.notePeoples(words.subList(i + 1, words.size()), false, log);
            }
        }
    }

    private static boolean runsText(String program, List<Shape> command) {
        boolean splits =
                program.equals("env")
                        && command.stream()
                                .anyMatch(word ->
                                        word.startsWith("--split")
                                                || word.toString().matches("-\\w*S.*"));
        return splits
                || TEXT_RUNNERS.contains(program)
                || Launchers.isOpaque(program)
                || Interpreters.isLanguage(program);
    }

    /// The words, and for a text the words in it.
    private static List<Shape> takenApart(List<Shape> command) {
        var words = new ArrayList<Shape>();
        for (Shape word : command) {
            if (!word.isPlain()) {
                words.add(word);
                continue;
            }
            for (String part : BETWEEN_WORDS.split(word.toString(), -1)) {
                if (!part.isEmpty()) {
                    words.add(Shape.of(part));
                }
            }
        }
        return words;
    }

    /// Whether `rsm` is among what gets a name, and that name is another one. A folder as the
    /// target is known by its slash.
    private static boolean isRenamed(List<Shape> command) {
        var operands = new ArrayList<Shape>();
        boolean intoFolder = false;
        for (Shape word : command.subList(1, command.size())) {
            intoFolder |= word.startsWith("-t") || word.startsWith("--target-directory");
            if (!word.startsWith("-")) {
                operands.add(word);
            }
        }
        boolean alias = command.getFirst().name().is("alias");
        if (operands.isEmpty() || (operands.size() == 1 && !alias) || intoFolder) {
            return false;
        }
        Shape target = value(operands.getLast());
        boolean keeps =
                !alias
                        && (isNamed(target)
                                || target.name().isEmpty()
                                || target.name().is(".")
                                || target.name().is(".."));
        return !keeps && operands.stream().anyMatch(word -> isNamed(value(word)));
    }

    /// `if=FILE`, `name=command`.
    private static Shape value(Shape word) {
        return word.from(word.indexOf('=', 0) + 1);
    }
}
