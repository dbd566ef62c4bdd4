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
    void aReadmeOneLineTooLongIsFound() throws IOException {
        var sample =
                new Sample(folder)
                        .with("A.java", "//\n".repeat(1000))
                        .with("README.md", "word\n".repeat(151));

        assertThat(sample.problemsOf(rule()))
                .containsExactly("README.md: has 151 lines, at most 150");
    }
}
