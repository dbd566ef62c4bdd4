package dev.pheromone.hooks;

import dev.pheromone.guard.Access;

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

    private final TouchLog log;
    private final ShellState state;
    private final GivenInput given;

    WrittenTexts(TouchLog log, ShellState state, GivenInput given) {
        this.log = log;
        this.state = state;
        this.given = given;
    }

    /// Notes what a command of these words writes by redirections, and to the files that it is
    /// told.
    void note(List<Shape> words, List<ShellTree.Redirect> redirects, Expansion expansion)
            throws ShellSyntaxException {
        var files = new ArrayList<Shape>();
        for (ShellTree.Redirect redirect : redirects) {
            if (redirect instanceof ShellTree.ToFile(var access, Word target)
                    && access.contains(Access.WRITE)) {
                files.add(expansion.text(target));
            }
        }
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
                        && !(program.equals("tee") && isFromElsewhere())
                        && !(program.equals("cat") && words.size() == 1 && isFromElsewhere());
        for (Shape file : files) {
            log.wrote(file, text);
            if (!clear) {
                log.wroteUnclearly(file);
            }
        }
    }

    /// Whether what is passed on comes through a pipe, and nobody knows what it is.
    private boolean isFromElsewhere() {
        return given.text() == null && state.text == null && state.input == null && state.piped;
    }
}
