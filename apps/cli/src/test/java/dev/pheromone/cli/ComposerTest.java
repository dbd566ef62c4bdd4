package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.EnvelopeText;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

class ComposerTest {

    @ParameterizedTest
    @CsvSource({
        "please look, please look",
        "'\n\n# The parser\nis slow', The parser",
        "'> quoted', quoted",
        "'- first\n- second', first",
        "'bell\u0007 and \u202eback', bell and back",
        "'  two  words  ', two  words"
    })
    void theTopicIsTheFirstLineThatSaysSomething(String body, String topic) {
        assertThat(Composer.firstLine(body.replace("\\n", "\n"))).isEqualTo(topic);
    }

    @Test
    void aLongLineIsCut() {
        assertThat(Composer.firstLine("é".repeat(300))).hasSize(100);
    }

    @Test
    void aBodyThatSaysNothingNeedsATopic() {
        assertThatThrownBy(() -> Composer.firstLine("\n \n---\n"))
                .hasMessage("the body has no line to take the topic from");
    }

    @ParameterizedTest
    @ValueSource(strings = {"BODY", "-", "--body-file"})
    void aBodyThatIsTooLongNamesTheWayForFiles(String from, @TempDir Path folder)
            throws IOException {
        Session session = new Session(folder.toRealPath());
        assertThat(session.rsm("init").exit()).isZero();
        String text = "x".repeat(EnvelopeText.BODY_BYTES_MAX + 1);
        List<String> line = new ArrayList<>(List.of("send", "--to", "code", "--topic", "long"));
        switch (from) {
            case "BODY" -> line.add(text);
            case "-" -> line.add("-");
            default -> {
                Files.writeString(session.cwd.resolve("long.md"), text);
                line.addAll(List.of("--body-file", "long.md"));
            }
        }

        Session.Result result = session.rsm(line, text);

        assertThat(result.exit()).isEqualTo(2);
        assertThat(result.err()).contains("is larger than 65536 bytes", "--attach FILE");
    }
}
