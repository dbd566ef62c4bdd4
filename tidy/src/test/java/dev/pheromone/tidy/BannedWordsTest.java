package dev.pheromone.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;

class BannedWordsTest implements RuleContract {
    @TempDir Path folder;

    @Override
    public Rule rule() {
        return new BannedWords();
    }

    // The bar is taken out before the text is looked at: this file must pass the rule itself.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://repo|.maven.apache.org/maven2",
                "https://registry|.npmjs.org/left-pad",
                "pip install -i https://py|pi.org/simple",
                "cd /ro|ot/project",
                "JAVA_HOME=/usr/lib|/jvm/temurin-25-jdk-amd64",
                "// TO|DO: later",
                "throw new IllegalStateException(\"not implem|ented\")"
            })
    void aBannedWordIsFoundWithItsLine(String text) throws IOException {
        var sample =
                new Sample(folder)
                        .with("docs/guide.md", "# Guide\n" + text.replace("|", "") + "\n");

        assertThat(sample.problemsOf(rule()))
                .singleElement()
                .asString()
                .startsWith(Path.of("docs", "guide.md") + ":2: ");
    }
}
