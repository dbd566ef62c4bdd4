package dev.pheromone.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Receipt;
import dev.pheromone.Selection;
import dev.pheromone.Settlement;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Lane;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.Priority;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseLog.Durability;
import dev.pheromone.testkit.FakeClock;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.UnaryOperator;

/// Events leave by the feed and the stream no further than the mail they speak of.
final class EventConsentTest {

    private static final Actor WORKER = Actor.parse("w1");

    @TempDir Path root;

    private ServedHive serve(UnaryOperator<ServerOptions> change) throws Exception {
        return new ServedHive(root, new FakeClock(Instant.now()), change);
    }

    /// The life of one envelope, with words that only its own people may read.
    private static void live(ServedHive hive, Consent consent, String word) throws Exception {
        Receipt _ =
                hive.files.send(
                        hive.mail(word + "-topic")
                                .consent(consent)
                                .scope(word + "-scope")
                                .tags(List.of(word + "-tag"))
                                .seal());
        Inbox inbox = hive.files.inbox(ServedHive.CODE);
        String first = take(inbox);
        Settlement _ = inbox.settle(first, new Outcome.Failed(word + "-failure"));
        hive.clock.advance(Duration.ofMinutes(1));
        Settlement _ = inbox.settle(take(inbox), new Outcome.Done(word + "-note"));
    }

    private static String take(Inbox inbox) throws IOException {
        Selection selection = inbox.select(WORKER, Lease.unattended(Duration.ofMinutes(5)));
        return ((Selection.Taken) selection).claim().token();
    }

    private static void signal(ServedHive hive, String topic) throws IOException {
        hive.files
                .log()
                .append(
                        new RseEvent.PheromoneDrop(
                                hive.clock.instant(),
                                Lane.CODE,
                                WORKER,
                                topic,
                                Priority.P1,
                                null,
                                null,
                                List.of()),
                        Durability.DISK);
    }

    /// What the feed and the stream show, up to the line that has `last`.
    private static List<String> told(ServedHive hive, String last) throws Exception {
        StringBuilder streamed = new StringBuilder();
        HttpResponse<InputStream> stream =
                hive.client.send(
                        hive.request("/rse/sse?after=0").build(),
                        HttpResponse.BodyHandlers.ofInputStream());
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                streamed.append(line).append('\n');
                if (line.contains(last)) {
                    break;
                }
            }
        }
        return List.of(hive.get("/rse/feed").body(), streamed.toString());
    }

    @Test
    void nothingOfPrivateMailLeaves() throws Exception {
        try (ServedHive hive = serve(UnaryOperator.identity())) {
            live(hive, Consent.PRIVATE, "salary");
            live(hive, Consent.TEAM, "parser");
            signal(hive, "the-end");
            for (String text : told(hive, "the-end")) {
                assertThat(text)
                        .contains("parser-topic", "parser-note", "parser-failure", "parser-scope")
                        .doesNotContain("salary", "\"private\"");
            }
        }
    }

    @Test
    void nothingOfTheTeamsMailLeavesToThePublic() throws Exception {
        try (ServedHive hive = serve(options -> options.withReach(Reach.PUBLIC))) {
            live(hive, Consent.PRIVATE, "salary");
            live(hive, Consent.TEAM, "parser");
            signal(hive, "team-signal");
            RseEvent shown =
                    RseEvent.of(
                                    hive.clock.instant(),
                                    "pheromone_drop",
                                    Lane.CODE,
                                    "ada",
                                    Json.obj().put("topic", "the-end").put("priority", "P1"))
                            .withConsent(Consent.PUBLIC);
            hive.files.log().append(shown, Durability.DISK);
            for (String text : told(hive, "the-end")) {
                assertThat(text)
                        .contains("the-end")
                        .doesNotContain("salary", "parser", "team-signal");
            }
        }
    }

    @Test
    void whatOlderWritersSaidOfMailLeavesWithoutTheirWords() throws Exception {
        try (ServedHive hive = serve(UnaryOperator.identity())) {
            Files.createDirectories(hive.layout.log().getParent());
            Files.writeString(
                    hive.layout.log(),
                    """
                    {"ts":"2026-01-01T00:00:00.000Z","type":"pheromone_drop","lane":"Code","actor":"ada",\
                    "data":{"topic":"salary","priority":"P1","ref":"01M7GM3J5HECJMDG7M004VQ7AK"}}
                    {"ts":"2026-01-01T00:00:00.000Z","type":"pheromone_drop",salary
                    """,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
            signal(hive, "the-end");
            for (String text : told(hive, "the-end")) {
                assertThat(text)
                        .contains("01M7GM3J5HECJMDG7M004VQ7AK")
                        .contains("can't be read")
                        .doesNotContain("salary");
            }
        }
    }

    @Test
    void aPageOfTheFeedEndsAfterItsLimitWhateverItShows() throws Exception {
        try (ServedHive hive = serve(options -> options.withReach(Reach.PUBLIC))) {
            for (int i = 0; i < 5; i++) {
                signal(hive, "team-signal");
            }
            Json.Obj page = hive.get("/rse/feed?limit=2").json();
            assertThat(page.number("count")).isEqualTo(0);
            assertThat(page.flag("more")).isTrue();
            Json.Obj rest = hive.get("/rse/feed?limit=4&after=" + page.text("cursor")).json();
            assertThat(rest.flag("more")).isFalse();
        }
    }
}
