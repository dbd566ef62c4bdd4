package dev.pheromone.hooks;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/// Programs that look through sources and complain. They change nothing unless an option says so,
/// and one that is not known here might.
final class Linters {
    /// With the words of which they need one to change nothing; none: they need none.
    private static final Map<String, Set<String>> NAMES =
            Map.ofEntries(
                    Map.entry("mypy", Set.of()),
                    Map.entry("pyright", Set.of()),
                    Map.entry("flake8", Set.of()),
                    Map.entry("pylint", Set.of()),
                    Map.entry("bandit", Set.of()),
                    Map.entry("vulture", Set.of()),
                    Map.entry("yamllint", Set.of()),
                    Map.entry("eslint", Set.of()),
                    Map.entry("rubocop", Set.of()),
                    Map.entry("gofmt", Set.of()),
                    Map.entry("staticcheck", Set.of()),
                    Map.entry("ruff check", Set.of()),
                    Map.entry("ruff format", Set.of("--check", "--diff")),
                    Map.entry("black", Set.of("--check", "--diff")),
                    Map.entry("isort", Set.of("--check", "--check-only", "--diff")),
                    Map.entry("prettier", Set.of("--check", "--list-different")));

    private static final Pattern HARMLESS =
            Pattern.compile(
                    "-[qvldrsE]|--(?:check|check-only|diff|list-different|quiet|verbose|strict|pretty|no-cache"
                        + "|statistics|ignore-missing-imports|no-error-summary|errors-only"
                        + "|(?:ext|select|ignore|extend-select|extend-ignore|disable|enable"
                        + "|max-line-length|max-warnings|line-length|output-format|color)"
                        + "(?:=[\\w.,-]*)?)");

    private Linters() {}

    static boolean isOne(String program) {
        return NAMES.keySet().stream()
                .anyMatch(name -> name.equals(program) || name.startsWith(program + " "));
    }

    /// Whether it was told nothing that could make it write.
    static boolean onlyReads(Invocation call) {
        List<String> words = call.arguments().stream().map(Shape::toString).toList();
        Set<String> needed = NAMES.get(call.program());
        if (needed == null && !words.isEmpty()) {
            needed = NAMES.get(call.program() + " " + words.getFirst());
        }
        return needed != null
                && (needed.isEmpty() || words.stream().anyMatch(needed::contains))
                && call.arguments().stream().noneMatch(Shape::startsWithGap)
                && words.stream()
                        .allMatch(
                                word -> !word.startsWith("-") || HARMLESS.matcher(word).matches());
    }
}
