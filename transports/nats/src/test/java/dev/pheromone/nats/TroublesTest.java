package dev.pheromone.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.address.Domain;
import dev.pheromone.testkit.NatsServer;

import io.nats.client.Connection;
import io.nats.client.JetStreamManagement;
import io.nats.client.Nats;
import io.nats.client.api.StreamConfiguration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

/// What is wrong on a server that answers.
@Timeout(120)
final class TroublesTest {

    @TempDir Path folder;
    private NatsServer server;
    private Connection connection;
    private JetStreamManagement streams;

    @BeforeEach
    void start() throws Exception {
        NatsServer.refuseWithout("TroublesTest");
        server = NatsServer.start(folder);
        connection = Nats.connect(server.url());
        streams = connection.jetStreamManagement();
    }

    @AfterEach
    void stop() throws Exception {
        if (connection != null) {
            connection.close();
        }
        if (server != null) {
            server.close();
        }
    }

    private NatsTransport open() throws IOException {
        return NatsTransport.open(
                NatsOptions.of(server.url(), "hive").withInboxes(List.of(Domain.parse("code"))),
                InstantSource.system());
    }

    @Test
    void aHiveThatIsWholeHasNone() throws Exception {
        try (NatsTransport first = open()) {
            assertThat(first.troubles()).isEmpty();
        }
        try (NatsTransport again = open()) {
            assertThat(again.troubles()).isEmpty();
        }
    }

    @Test
    void whatWasDeletedUnderAHiveIsTold() throws Exception {
        open().close();
        assertThat(streams.deleteStream("KV_hive-records")).isTrue();
        try (NatsTransport transport = open()) {
            assertThat(transport.troubles())
                    .containsExactly(
                            "KV_hive-records was deleted and made anew: what was done before may be"
                                    + " done again");
        }
    }

    @Test
    void aStreamThatIsYoungerThanAnotherWasMadeAnew() {
        Instant made = Instant.parse("2026-01-01T00:00:00Z");
        assertThat(
                        ServerSetup.younger(
                                Map.of(
                                        "a",
                                        made,
                                        "b",
                                        made.plusSeconds(2),
                                        "c",
                                        made.plusSeconds(90))))
                .containsExactly("c");
    }

    @Test
    void aServerWithoutRoomTakesNoMail() throws Exception {
        try (NatsTransport transport = open()) {
            for (String name : List.of("hive-mail", "KV_hive-records")) {
                StreamConfiguration before = streams.getStreamInfo(name).getConfiguration();
                var _ =
                        streams.updateStream(
                                StreamConfiguration.builder(before).maxBytes(50_000).build());
                assertThatThrownBy(transport::troubles)
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("takes no mail");
                var _ = streams.updateStream(before);
                assertThat(transport.troubles()).isEmpty();
            }
        }
    }
}
