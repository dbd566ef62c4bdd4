package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// Every page of the guide goes as it says.
class GuideTest {

    private static final String WRITER = "docs/guide/write_envelope.py";

    static List<String> pages() throws IOException {
        return Documents.names().stream().filter(name -> name.startsWith("docs/guide/")).toList();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void goesAsWritten(String page, @TempDir Path folder) throws Exception {
        Walkthrough walkthrough = Walkthrough.of(Documents.read(page));

        assertThat(walkthrough.steps()).isNotEmpty();
        try (DocumentPlayer player = new DocumentPlayer(folder)) {
            assertThat(player.with(Documents.root().resolve(WRITER)).play(walkthrough)).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void noCommandReplacesAFileOfTheReaders(String page) {
        assertThat(Documents.read(page)).doesNotContainPattern("(?m)^[^|`]*[^>|`]> *\\S*\\.yaml");
    }

    @Test
    void theWriterInThePageIsTheOneThatIsTested() {
        assertThat(Documents.read("docs/guide/write-an-adapter.md"))
                .contains("```python\n" + Documents.read(WRITER) + "```\n");
    }

    @Test
    void theEnvelopeInThePageIsGood(@TempDir Path folder) {
        String page = Documents.read("docs/guide/write-an-adapter.md");
        String start = "```markdown\n";
        int begin = page.indexOf(start) + start.length();
        String envelope = page.substring(begin, page.indexOf("```", begin));

        Session.Result result = new Session(folder).rsm(List.of("verify", "-"), envelope);

        assertThat(result.out()).contains("good, from nightly-job, unsigned");
    }

    @Test
    void theWriterIsAsShortAsThePageSays() {
        assertThat(Documents.read(WRITER).lines().filter(line -> !line.isBlank())).hasSize(12);
    }
}
