package dev.pheromone.hooks;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/// What a command writes into files, as far as it stands there: it may be run later on.
final class WrittenTexts {
    /// They write what they are told or given; what others make of it, is not known.
    private static final Set<String> PLAIN = Set.of("echo", "printf", "cat", "tee", ":", "true");

    /// A character by its number.
    private static final Pattern NUMBERED = Pattern.compile("(?s).*\\\\(?:x|u|U|0|[1-7]).*");

    private WrittenTexts() {}

    /// Notes that a command of these words writes to `targets`, and to the files that it is told.
    static void note(
            List<Shape> words,
            List<Shape> targets,
            GivenInput given,
            ShellState state,
            TouchLog log) {
        var files = new ArrayList<>(targets);
        String program = words.isEmpty() ? ":" : words.getFirst().toString();
        if (program.equals("tee")) {
            files.addAll(words.subList(1, words.size()));
        }
        boolean prints = program.equals("echo") || program.equals("printf");
        Shape text =
                prints
                        ? Builtins.joined(words.subList(1, words.size()))
                        : given.passedOn(words, state.input);
        boolean clear =
                PLAIN.contains(program)
                        && !(prints && NUMBERED.matcher(text.toString()).matches())
                        && !(program.equals("tee") && isFromElsewhere(given, state))
                        && !(program.equals("cat")
                                && words.size() == 1
                                && isFromElsewhere(given, state));
        for (Shape file : files) {
            log.wrote(file, text);
            if (!clear) {
                log.wroteUnclearly(file);
            }
        }
    }

    /// Whether what is passed on comes through a pipe, and nobody knows what it is.
    private static boolean isFromElsewhere(GivenInput given, ShellState state) {
        return given.text() == null && state.text == null && state.input == null && state.piped;
    }
}
