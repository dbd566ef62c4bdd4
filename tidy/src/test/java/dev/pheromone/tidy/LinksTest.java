package dev.pheromone.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;

class LinksTest implements RuleContract {
    @TempDir Path folder;

    @Override
    public Rule rule() {
        return new Links();
    }

    @Test
    void aLinkThatLeadsNowhereIsFound() throws IOException {
        var sample =
                new Sample(folder)
                        .with("docs/guide.md", "# One `two`, three\n[up](../README.md#words)\n")
                        .with(
                                "README.md",
                                """
                                # Words
                                [good](docs/guide.md), [folder](docs/), [web](https://example.org/a),
                                [here](#words), [heading](docs/guide.md#one-two-three)
                                [bad](docs/gone.md)
                                [bad heading](docs/guide.md#four) and `[code](is/not)`
                                ```
                                [code](is/not)
                                ```
                                """);

        assertThat(sample.problemsOf(rule()))
                .containsExactly(
                        "README.md:4: link leads nowhere: docs/gone.md",
                        "README.md:5: link leads nowhere: docs/guide.md#four");
    }
}
