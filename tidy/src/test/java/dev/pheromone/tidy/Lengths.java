package dev.pheromone.tidy;

import java.util.List;
import java.util.stream.Stream;

/// Nothing is too long to read in one go.
final class Lengths implements Rule {
    static final int SOURCE_LINES_MAX = 400;
    static final int README_LINES_MAX = 150;
    private static final List<String> SOURCES = List.of(".java", ".py", ".ts");

    @Override
    public Stream<Problem> problems(Repository repository) {
        return Stream.concat(
                repository.files().stream()
                        .filter(file -> SOURCES.stream().anyMatch(file::isNamed))
                        .flatMap(file -> tooLong(file, SOURCE_LINES_MAX)),
                repository.file("README.md").stream()
                        .flatMap(file -> tooLong(file, README_LINES_MAX)));
    }

    private static Stream<Problem> tooLong(TextFile file, int max) {
        int lines = file.lineCount();
        return lines <= max
                ? Stream.empty()
                : Stream.of(file.problem("has %d lines, at most %d".formatted(lines, max)));
    }
}
