package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.testkit.Mosquitto;
import dev.pheromone.testkit.NatsServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

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
        try (DocumentPlayer player = new DocumentPlayer(folder);
                AutoCloseable _ = server(page, folder, player)) {
            assertThat(player.with(Documents.root().resolve(WRITER)).play(walkthrough)).isEmpty();
        }
    }

    /// The server that a page is about, if it is about one.
    private static AutoCloseable server(String page, Path folder, DocumentPlayer player)
            throws IOException {
        Path store = Files.createDirectory(folder.resolve("store"));
        if (page.endsWith("/mqtt.md")) {
            Mosquitto.refuseWithout(page);
            Mosquitto broker = Mosquitto.start(store, Mosquitto.DURABLE + Mosquitto.OPEN);
            player.withServer("mqtt://127.0.0.1:1883", broker.url());
            return broker;
        }
        if (page.endsWith("/nats.md")) {
            NatsServer.refuseWithout(page);
            NatsServer nats = NatsServer.start(store);
            player.withServer("nats://127.0.0.1:4222", nats.url());
            return nats;
        }
        return () -> {};
    }

    @ParameterizedTest
    @MethodSource("pages")
    void noCommandReplacesAFileOfTheReaders(String page) {
        assertThat(Documents.read(page)).doesNotContainPattern("(?m)^[^|`]*[^>|`]> *\\S*\\.yaml");
    }

    @Test
    void theServiceLevelsOfTheDraftAreThoseThatAreMeasured(@TempDir Path folder) {
        Session session = new Session(folder);
        assertThat(session.rsm("init").exit()).isZero();
        List<String> measured =
                Pattern.compile("\"metric\":\"(\\w+)\"")
                        .matcher(session.rsm("slo", "--json").out())
                        .results()
                        .map(metric -> metric.group(1))
                        // The draft does not have it.
                        .filter(metric -> !metric.equals("seen"))
                        .toList();

        assertThat(
                        Pattern.compile("(?m)^\\| .* \\| `(\\w+)` \\| [0-9.]+[^|]* \\|$")
                                .matcher(Documents.read("docs/guide/from-the-v0.1-draft.md"))
                                .results()
                                .map(metric -> metric.group(1)))
                .containsExactlyElementsOf(measured)
                .hasSize(7);
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
