package dev.pheromone.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;

class PackageTableTest implements RuleContract {
    @TempDir Path folder;

    @Override
    public Rule rule() {
        return new PackageTable();
    }

    @Test
    void missingGoneAndGrownPackagesAreFound() throws IOException {
        var sample =
                new Sample(folder)
                        .withModule("core")
                        .withType("core", "dev.bees.Bee", "")
                        .withType("core", "dev.bees.wax.Comb", "\n".repeat(300))
                        .withType("core", "dev.bees.honey.Jar", "")
                        .with(
                                "ARCHITECTURE.md",
                                """
                                | package | classes | lines | what |
                                |---|--:|--:|---|
                                | `dev.bees.wax` | 1 | 100 | too small |
                                | `dev.bees.honey` | 1 | 20 | about right |
                                | `dev.bees.moon` | 3 | 1,200 | gone |
                                """);

        assertThat(sample.problemsOf(rule()))
                .containsExactly(
                        "ARCHITECTURE.md:3: dev.bees.wax is | 1 | 305 | by now",
                        "ARCHITECTURE.md:5: dev.bees.moon is no package any more",
                        "ARCHITECTURE.md: has no row | `dev.bees` | 1 | 5 |");
    }
}
