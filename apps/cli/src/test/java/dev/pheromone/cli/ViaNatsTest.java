package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.testkit.NatsServer;

import io.nats.client.Connection;
import io.nats.client.JetStreamManagement;
import io.nats.client.Nats;
import io.nats.client.api.StreamConfiguration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// By way of a NATS server.
final class ViaNatsTest extends ViaContract {

    private NatsServer server;

    @Override
    String transport(Path folder) throws Exception {
        if (server == null) {
            NatsServer.refuseWithout("ViaNatsTest");
            server = NatsServer.start(Files.createDirectories(folder));
        }
        return "{url: \"%s\"}".formatted(server.url());
    }

    @Override
    void kill() {
        server.kill();
    }

    @Override
    void restart() throws Exception {
        server.restart();
    }

    @Test
    void whyAHiveThereCannotBeOpenedIsSaidOnce() throws Exception {
        Session ann = session("ann");
        ok(ann, "send --via team --to code before");
        configure(ann, "team: {url: \"%s\", replicas: 3}".formatted(server.url()));
        Session.Result refused = rsm(ann, "send --via team --to code hello");
        assertThat(refused.exit()).isEqualTo(1);
        assertThat(refused.err())
                .containsOnlyOnce("replicas: found 1 of ")
                .startsWith("rsm: error: replicas: found 1 of ");
    }

    @Test
    void whatIsTooLargeForTheServerKeepsNothingElse() throws Exception {
        Path folder = Files.createDirectories(temp.toRealPath().resolve("small"));
        NatsServer.refuseWithout("ViaNatsTest");
        server = NatsServer.start(folder, "max_payload: 4096\n");
        Session ann = session("ann");
        kill();
        List<String> large = List.of("send", "--via", "team", "--to", "code", "--topic", "x", "-");
        assertThat(ann.rsm(large, "x".repeat(20_000)).exit()).isZero();
        ok(ann, "send --via team --to code small");
        restart();
        assertThat(ok(ann, "send --via team --to code now"))
                .startsWith("sent ")
                .contains(" to queen://code at team, expires ");
        assertThat(ok(ann, "inbox code --via team")).startsWith("queen://code at team: 2 waiting");
        assertThat(rsm(ann, "doctor --fix").out())
                .contains("1 that wait on (nats server: takes no such message: ");
        ok(ann, "send --to code near --topic near");
        assertThat(
                        ann.rsm(
                                        List.of("send", "--to", "code", "--priority", "P0", "-"),
                                        "x".repeat(20_000))
                                .exit())
                .isZero();
        assertThat(ok(ann, "bridge . team --domain code --drain"))
                .startsWith("carried 1 between . and team, 1 could not go");
    }

    @Test
    void doctorTellsWhatIsWrongOnAServerThatAnswers() throws Exception {
        Session ann = session("ann");
        ok(ann, "send --via team --to code before");
        assertThat(ok(ann, "doctor")).contains("note: transport team: it answers, has ");
        Connection connection = Nats.connect(server.url());
        try {
            JetStreamManagement streams = connection.jetStreamManagement();
            String mail = nameEndingIn("mail", streams);
            StreamConfiguration roomy = streams.getStreamInfo(mail).getConfiguration();
            var _ =
                    streams.updateStream(
                            StreamConfiguration.builder(roomy).maxBytes(50_000).build());
            assertThat(rsm(ann, "doctor").out())
                    .contains("transport team: found ", "it answers, and takes no mail: ");
            var _ = streams.updateStream(roomy);

            assertThat(streams.deleteStream(nameEndingIn("records", streams))).isTrue();
            assertThat(rsm(ann, "doctor").out())
                    .contains("warning: transport team: found it answers, but ")
                    .contains("was deleted and made anew: what was done before may be done again");
        } finally {
            connection.close();
        }
    }

    private static String nameEndingIn(String end, JetStreamManagement streams) throws Exception {
        return streams.getStreamNames().stream()
                .filter(name -> name.endsWith("-" + end))
                .findFirst()
                .orElseThrow();
    }

    @AfterEach
    void end() {
        if (server != null) {
            server.close();
        }
    }
}
