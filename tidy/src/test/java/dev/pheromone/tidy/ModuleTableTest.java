package dev.pheromone.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;

class ModuleTableTest implements RuleContract {
    @TempDir Path folder;

    @Override
    public Rule rule() {
        return new ModuleTable();
    }

    @Test
    void missingAndInventedModulesAreFound() throws IOException {
        var sample =
                new Sample(folder)
                        .withModule("core")
                        .withModule("transports/file")
                        .with("pom.xml", "<modules><module>core</module></modules>")
                        .with(
                                "README.md",
                                """
                                | module | is |
                                |---|---|
                                | `core/` | values |
                                | [`moon`](moon) | far |

                                | other | table |
                                |---|---|
                                | `transports/file` | no |
                                """);

        assertThat(sample.problemsOf(rule()))
                .containsExactly(
                        "pom.xml: does not list the module transports/file",
                        "README.md: does not list the module transports/file",
                        "README.md: lists moon, which has no pom.xml");
    }

    @Test
    void anAdapterHasARowButIsNoMavenModule() throws IOException {
        var sample =
                new Sample(folder)
                        .withModule("core")
                        .with("pom.xml", "<modules><module>core</module></modules>")
                        .with("adapters/python/pyproject.toml", "[project]\n")
                        .with("README.md", "| module | is |\n|---|---|\n| `core` | values |\n");

        assertThat(sample.problemsOf(rule()))
                .containsExactly("README.md: does not list the module adapters/python");
    }

    @Test
    void aReadmeWithoutTheTableIsFound() throws IOException {
        var sample = new Sample(folder).withModule("core").with("README.md", "# Words\n");

        assertThat(sample.problemsOf(rule())).singleElement().asString().contains("has no table");
    }
}
