package dev.pheromone.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;

class TypesInDocumentsTest implements RuleContract {
    @TempDir Path folder;

    @Override
    public Rule rule() {
        return new TypesInDocuments();
    }

    @Test
    void aTypeThatIsGoneIsFound() throws IOException {
        var sample =
                new Sample(folder)
                        .withModule("hive")
                        .withType(
                                "hive",
                                "dev.pheromone.hive.HiveLimits",
                                "record DepthMax(int a) {}")
                        .with(
                                "ARCHITECTURE.md",
                                """
                                `HiveLimits`, `HiveLimits.DepthMax`, `HiveLimits.defaults()`,
                                `FileChannel` and `CreateLink` are plain, `PREFIX`, `P0` are not types;
                                `MailRouter.route()`
                                """);

        assertThat(sample.problemsOf(rule()))
                .containsExactly(
                        "ARCHITECTURE.md:2: names the type CreateLink, which does not exist",
                        "ARCHITECTURE.md:3: names the type MailRouter, which does not exist");
    }
}
