package dev.pheromone.tidy;

import java.util.stream.Stream;

/// The README is short enough to be read in one go. Sources have no such limit: a thought that is
/// cut in two by a ruler reads worse than a long file.
final class Lengths implements Rule {
    static final int README_LINES_MAX = 150;

    @Override
    public Stream<Problem> problems(Repository repository) {
        return repository.file("README.md").stream()
                .filter(file -> file.lineCount() > README_LINES_MAX)
                .map(file ->
                        file.problem(
                                "has %d lines, at most %d"
                                        .formatted(file.lineCount(), README_LINES_MAX)));
    }
}
