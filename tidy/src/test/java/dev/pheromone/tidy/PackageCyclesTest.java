package dev.pheromone.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;

class PackageCyclesTest implements RuleContract {
    @TempDir Path folder;

    @Override
    public Rule rule() {
        return new PackageCycles();
    }

    private static Sample withImport(Sample sample, String module, String name, String imported) {
        int dot = name.lastIndexOf('.');
        return sample.with(
                "%s/src/main/java/%s.java".formatted(module, name.replace('.', '/')),
                "package %s;\nimport %s;\n".formatted(name.substring(0, dot), imported));
    }

    @Test
    void aCircleOfThreePackagesIsFoundOnce() throws IOException {
        var sample = new Sample(folder).withModule("disk").withModule("locks");
        withImport(sample, "disk", "a.disk.Disk", "a.lock.Gate");
        withImport(sample, "locks", "a.lock.Gate", "a.config.Yaml");
        withImport(sample, "locks", "a.config.Yaml", "static a.disk.Disk.open");
        withImport(sample, "locks", "a.guard.Guard", "a.disk.Disk");

        assertThat(sample.problemsOf(rule()))
                .containsExactly(
                        "locks/src/main/java/a/config/Yaml.java: packages [a.config, a.disk,"
                                + " a.lock] need each other in a circle");
    }
}
