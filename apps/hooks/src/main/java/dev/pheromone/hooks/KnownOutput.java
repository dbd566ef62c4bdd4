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

    /// A path with one slash between its names, and none behind them.
    private static final Pattern PLAIN_PATH = Pattern.compile("/?[^/\\s]+(?:/[^/\\s]+)*");

    /// They say where a repository is.
    private static final Set<String> GIT_PLACES =
            Set.of("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_CONFIG_COUNT");

    private KnownOutput() {}

    /// What a substitution of this command becomes.
    static Shape of(List<Shape> words, ShellState state, TouchLog log) {
        if (words.isEmpty() || !isItself(words.getFirst(), state)) {
            return Shape.UNKNOWN;
        }
        String program = words.getFirst().toString();
        boolean harmless = words.stream().allMatch(KnownOutput::isHarmless);
        if (program.equals("pwd")) {
            return state.folders().size() == 1 ? state.folders().getFirst() : Shape.UNKNOWN;
        }
        if (Builtins.joined(words).is("git rev-parse --show-toplevel")) {
            return repository(state, log);
        }
        if (words.size() == 2 && words.getLast().isPlain() && !words.getLast().startsWith("-")) {
            String path = words.getLast().toString();
            int slash = path.lastIndexOf('/');
            if (program.equals("dirname") && PLAIN_PATH.matcher(path).matches()) {
                return Shape.of(slash < 0 ? "." : slash == 0 ? "/" : path.substring(0, slash));
            }
            if (program.equals("basename") && PLAIN_PATH.matcher(path).matches()) {
                return Shape.of(path.substring(slash + 1));
            }
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

    /// Whether the word is the name of a program, and of no function that the command has.
    private static boolean isItself(Shape program, ShellState state) {
        return program.isPlain() && state.function(program.toString()) == null;
    }

    /// The root of the repository: this folder, or one above it.
    private static Shape repository(ShellState state, TouchLog log) {
        Shape folder = state.folders().getFirst();
        boolean elsewhere = GIT_PLACES.stream().anyMatch(state::knows) || log.changesRepositories();
        if (state.folders().size() > 1 || folder.hasGap() || elsewhere) {
            return Shape.UNKNOWN;
        }
        Shape above = Shape.of(new int[] {'/', Shape.ABOVE});
        boolean already = folder.contains(Shape.ABOVE);
        return already
                ? folder.part(0, folder.indexOf(Shape.ABOVE, 0) - 1).plus(above)
                : folder.plus(above);
    }

    /// Whether the word may be none at all: a program that fails prints nothing.
    static boolean mayVanish(Shape word) {
        return word.equals(Shape.ANY_NAME)
                || (word.length() > 0 && word.at(word.length() - 1) == Shape.ABOVE);
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
        if (words.isEmpty() || !isItself(words.getFirst(), state)) {
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
        return FoundNames.of(program, arguments);
    }
}
