package dev.pheromone.hooks;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/// What a few programs print, as far as it is known without running them.
final class KnownOutput {
    /// They print one short text without a slash, if their arguments have none.
    private static final Set<String> NAMES =
            Set.of("nproc", "whoami", "id", "hostname", "uname", "arch", "seq", "date");

    /// They print where the program or file that is named last lies.
    private static final Set<String> LOCATING =
            Set.of("which", "command", "type", "whereis", "realpath", "readlink", "greadlink");

    /// They print some of the lines that they read, whole, if they are called like this.
    private static final Pattern FILTER =
            Pattern.compile(
                    "(?:e|f)?grep(?: -[viEFwxz]+)* [^-][^ ]*|(?:sort|tac|shuf|uniq)(?: -[rnuzfV]+)*"
                            + "|(?:head|tail)(?: -n)? -?\\d+");

    private KnownOutput() {}

    /// What a substitution of this command becomes.
    static Shape of(List<Shape> words, ShellState state) {
        if (words.isEmpty() || !words.getFirst().isPlain()) {
            return Shape.UNKNOWN;
        }
        String program = words.getFirst().toString();
        boolean harmless = words.stream().allMatch(KnownOutput::isHarmless);
        if (program.equals("pwd")) {
            return state.folders().size() == 1 ? state.folders().getFirst() : Shape.UNKNOWN;
        }
        if (program.equals("mktemp") && harmless) {
            return Shape.of("/tmp/").plus(Shape.ANY_NAME);
        }
        if (words.size() > 1 && LOCATING.contains(program) && words.getLast().name().isPlain()) {
            // Somewhere, under that name.
            return Shape.UNKNOWN.plus("/").plus(words.getLast().name());
        }
        boolean revision =
                program.equals("git") && words.size() > 1 && words.get(1).is("rev-parse");
        boolean hash =
                words.size() > 1
                        && words.getLast().is("HEAD")
                        && !words.get(words.size() - 2).is("--abbrev-ref");
        boolean name = NAMES.contains(program) || (revision && hash);
        return name && harmless ? Shape.ANY_NAME : Shape.UNKNOWN;
    }

    /// Whether nothing in the word could come out as a dot or a slash; `%D` of `date` has slashes.
    private static boolean isHarmless(Shape word) {
        return word.isPlain()
                && !word.toString().contains("%D")
                && !word.contains('.')
                && !word.contains('/');
    }

    /// The words that this command hands to the next one in a pipe, or null if they aren't known.
    static @Nullable List<Shape> names(List<Shape> words, ShellState state) {
        if (words.isEmpty() || !words.getFirst().isPlain()) {
            return null;
        }
        String program = words.getFirst().toString();
        List<Shape> arguments = words.subList(1, words.size());
        if (program.equals("echo") && arguments.stream().noneMatch(word -> word.contains('\\'))) {
            return arguments;
        }
        if (program.equals("find")) {
            return Finder.prints(arguments);
        }
        if (FILTER.matcher(Builtins.joined(words).toString()).matches()) {
            return state.input;
        }
        if (program.equals("git") && !arguments.isEmpty() && arguments.getFirst().is("ls-files")) {
            return List.of(Shape.of(new int[] {Shape.DEEP}));
        }
        return null;
    }
}
