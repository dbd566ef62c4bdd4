package dev.pheromone.tidy;

import java.util.stream.Stream;

/// A promise about the whole repository that a machine can check.
interface Rule {
    Stream<Problem> problems(Repository repository);
}
