package dev.pheromone.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;

class PackagesTest implements RuleContract {
    @TempDir Path folder;

    @Override
    public Rule rule() {
        return new Packages();
    }

    @Test
    void aPackageInTwoModulesIsFound() throws IOException {
        var sample =
                new Sample(folder)
                        .withModule("core")
                        .withModule("hive")
                        .with(
                                "core/src/main/java/dev/pheromone/package-info.java",
                                "@NullMarked\npackage dev.pheromone;\n")
                        .withType("core", "dev.pheromone.Lane", "")
                        .withType("hive", "dev.pheromone.Queen", "");

        assertThat(sample.problemsOf(rule()))
                .containsExactly(
                        "hive/src/main/java/dev/pheromone/Queen.java: package dev.pheromone is at"
                                + " home in core");
    }

    @Test
    void aPackageWithoutNullMarkedIsFound() throws IOException {
        var sample =
                new Sample(folder)
                        .withModule("core")
                        .with(
                                "core/src/main/java/dev/pheromone/package-info.java",
                                "// @NullMarked\npackage dev.pheromone;\n")
                        .withType("core", "dev.pheromone.Lane", "");

        assertThat(sample.problemsOf(rule())).hasSize(2).allMatch(it -> it.contains("@NullMarked"));
    }
}
