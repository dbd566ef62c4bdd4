package dev.pheromone.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;

class NamesTest implements RuleContract {
    @TempDir Path folder;

    @Override
    public Rule rule() {
        return new Names();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "QueenImpl",
                "QueenManager",
                "MailHelper",
                "MailUtil",
                "MailUtils",
                "MailService",
                "EnvelopeDTO",
                "AbstractTransport",
                "DefaultTransport"
            })
    void anEmptyWordInANameIsFound(String name) throws IOException {
        var sample =
                new Sample(folder)
                        .withModule("hive")
                        .withType("hive", "dev.pheromone.hive." + name, "");

        assertThat(sample.problemsOf(rule())).singleElement().asString().contains(name);
    }

    @Test
    void nestedTypesAreLookedAtToo() throws IOException {
        var sample =
                new Sample(folder)
                        .withModule("hive")
                        .withType(
                                "hive",
                                "dev.pheromone.hive.Queen",
                                "private record PickDto(int a) {}");

        assertThat(sample.problemsOf(rule())).singleElement().asString().contains("PickDto");
    }

    @Test
    void anEmptyPackageNameIsFound() throws IOException {
        var sample =
                new Sample(folder)
                        .withModule("hive")
                        .withType("hive", "dev.pheromone.hive.util.Queen", "");

        assertThat(sample.problemsOf(rule())).singleElement().asString().contains("hive.util");
    }

    @Test
    void ordinaryNamesThatMerelyLookSimilarAreFine() throws IOException {
        var sample =
                new Sample(folder)
                        .withModule("hive")
                        .withType("hive", "dev.pheromone.hive.Defaults", "record Utility() {}")
                        .withType("hive", "dev.pheromone.hive.ServiceLevels", "// class FooImpl");

        assertThat(sample.problemsOf(rule())).isEmpty();
    }
}
