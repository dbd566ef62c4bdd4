package dev.pheromone.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;

/// What the test of every rule does: this repository keeps the rule. That the rule can be broken is
/// for each test to show, on a small tree of its own.
interface RuleContract {
    Rule rule();

    @Test
    default void thisRepositoryKeepsTheRule() throws IOException {
        assertThat(rule().problems(Repository.ofThisBuild())).isEmpty();
    }
}
