package dev.pheromone.tidy;

import static dev.pheromone.tidy.Sample.dependency;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;

class ModuleDirectionTest implements RuleContract {
    @TempDir Path folder;

    @Override
    public Rule rule() {
        return new ModuleDirection();
    }

    @Test
    void aTransportThatDeclaresAnotherIsFound() throws IOException {
        var sample =
                new Sample(folder)
                        .withModule("transports/file")
                        .withModule("hive")
                        .withModule(
                                "transports/http",
                                dependency("dev.pheromone", "pheromone-file", "compile"),
                                dependency("dev.pheromone", "pheromone-hive", "test"));

        assertThat(sample.problemsOf(rule()))
                .containsExactly(
                        "transports/http/pom.xml: transports/http may not use transports/file, only"
                                + " [core]",
                        "transports/http/pom.xml: transports/http may not use hive, only [core]");
    }

    @Test
    void hooksMayBeUsedByOtherAppsAndUseOnlyCore() throws IOException {
        var sample =
                new Sample(folder)
                        .withModule("hive")
                        .withModule(
                                "apps/hooks",
                                dependency("dev.pheromone", "pheromone-hive", "compile"))
                        .withModule(
                                "apps/cli",
                                dependency("dev.pheromone", "pheromone-hooks", "compile"));

        assertThat(sample.problemsOf(rule()))
                .containsExactly("apps/hooks/pom.xml: apps/hooks may not use hive, only [core]");
    }

    @Test
    void anImportAgainstTheDirectionIsFound() throws IOException {
        var sample =
                new Sample(folder)
                        .withModule("core")
                        .withModule("hive")
                        .withType("hive", "dev.pheromone.hive.Queen", "")
                        .with(
                                "core/src/main/java/dev/pheromone/Lane.java",
                                "package dev.pheromone;\n"
                                        + "import static dev.pheromone.hive.Queen.pick;\n");

        assertThat(sample.problemsOf(rule()))
                .containsExactly(
                        "core/src/main/java/dev/pheromone/Lane.java: core may not use hive, only"
                                + " []");
    }

    @Test
    void testsMayUseTheTestkitAndMainCodeMayNot() throws IOException {
        var sample =
                new Sample(folder)
                        .withModule("testkit")
                        .withModule(
                                "hive", dependency("dev.pheromone", "pheromone-testkit", "test"))
                        .withModule(
                                "apps/cli", dependency("dev.pheromone", "pheromone-testkit", ""));

        assertThat(sample.problemsOf(rule()))
                .singleElement()
                .asString()
                .startsWith("apps/cli/pom.xml: apps/cli may not use testkit, only [core, disk,");
    }

    @Test
    void anotherLibraryInCoreIsFound() throws IOException {
        var sample =
                new Sample(folder)
                        .withModule(
                                "core",
                                dependency("tools.jackson.core", "jackson-core", ""),
                                dependency("org.snakeyaml", "snakeyaml-engine", "test"),
                                dependency("com.google.guava", "guava", "compile"));

        assertThat(sample.problemsOf(rule()))
                .containsExactly("core/pom.xml: core may not depend on com.google.guava:guava");
    }

    @Test
    void aModuleWithoutAPlaceIsFound() throws IOException {
        var sample = new Sample(folder).withModule("extras");

        assertThat(sample.problemsOf(rule())).singleElement().asString().contains("no place");
    }
}
