package dev.pheromone.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;

class LengthsTest implements RuleContract {
    @TempDir Path folder;

    @Override
    public Rule rule() {
        return new Lengths();
    }

    @Test
    void aFileOneLineTooLongIsFound() throws IOException {
        var sample =
                new Sample(folder)
                        .with("A.java", "//\n".repeat(400))
                        .with("B.java", "//\n".repeat(401))
                        .with("README.md", "word\n".repeat(151));

        assertThat(sample.problemsOf(rule()))
                .containsExactly(
                        "B.java: has 401 lines, at most 400",
                        "README.md: has 151 lines, at most 150");
    }
}
