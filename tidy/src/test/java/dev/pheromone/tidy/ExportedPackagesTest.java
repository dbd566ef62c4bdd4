package dev.pheromone.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;

class ExportedPackagesTest implements RuleContract {
    @TempDir Path folder;

    @Override
    public Rule rule() {
        return new ExportedPackages();
    }

    @Test
    void aPackageThatItsModuleKeepsToItselfIsFound() throws IOException {
        var sample =
                new Sample(folder)
                        .withModule("transports/file")
                        .withModule("apps/cli")
                        .with(
                                "transports/file/src/main/java/module-info.java",
                                "module a.file {\n    exports a.file;\n}\n")
                        .withType("transports/file", "a.file.FileTransport", "")
                        .withType("transports/file", "a.file.copy.SeenSet", "")
                        .with(
                                "apps/cli/src/main/java/a/cli/Send.java",
                                "package a.cli;\n"
                                        + "import a.file.FileTransport;\n"
                                        + "import a.file.copy.SeenSet;\n");

        assertThat(sample.problemsOf(rule()))
                .containsExactly(
                        "apps/cli/src/main/java/a/cli/Send.java: imports a.file.copy, which"
                                + " transports/file does not export");
    }

    @Test
    void aModuleMayUseItsOwnPackagesAndTestsMayUseAll() throws IOException {
        var sample =
                new Sample(folder)
                        .withModule("transports/file")
                        .with("transports/file/src/main/java/module-info.java", "module a.file {}")
                        .withType("transports/file", "a.file.copy.SeenSet", "")
                        .with(
                                "transports/file/src/main/java/a/file/FileTransport.java",
                                "package a.file;\nimport a.file.copy.SeenSet;\n")
                        .withModule("apps/cli")
                        .with(
                                "apps/cli/src/test/java/a/cli/SendTest.java",
                                "package a.cli;\nimport a.file.copy.SeenSet;\n");

        assertThat(sample.problemsOf(rule())).isEmpty();
    }
}
