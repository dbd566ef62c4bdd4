package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.envelope.EnvelopeText;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

class TypedMailTest {

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
