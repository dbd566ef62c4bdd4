package dev.pheromone.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.AwayException;
import dev.pheromone.NotLetInException;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Envelope;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/// Brokers that know MQTT 3.1.1 alone, and what is no broker at all.
@Timeout(60)
final class OlderBrokerTest {

    private static final int LEVEL_AT = 8;
    private static final int OLDER_LEVEL = 4;
    private static final byte[] ACCEPTED = {0x20, 2, 0, 0};
    private static final byte[] NOTHING = {};
    private static final byte[] BUSY = {0x20, 3, 0, (byte) 0x89, 0};
    private static final byte[] UNACCEPTABLE_VERSION = {0x20, 2, 0, 1};

    /// How an older broker treats a client of version 5.
    private enum Manner {
        SAYS_NO,
        HANGS_UP,
        HANGS_UP_ON_ALL,
        IS_BUSY,
        HANGS_UP_AND_IS_BUSY
    }

    private static final class OlderBroker implements AutoCloseable {
        private final ServerSocket server =
                new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final Manner manner;
        private int calls;

        OlderBroker(Manner manner) throws IOException {
            this.manner = manner;
            Thread.ofVirtual()
                    .start(() -> {
                        try {
                            while (true) {
                                answer(server.accept());
                            }
                        } catch (IOException e) {
                            // The test is over.
                        }
                    });
        }

        /// The first packet is short enough that its length is one byte.
        private void answer(Socket client) throws IOException {
            try (client) {
                InputStream in = client.getInputStream();
                byte[] head = in.readNBytes(LEVEL_AT + 1);
                byte[] _ = in.readNBytes(head[1] - (LEVEL_AT - 1));
                boolean isOlder = head[LEVEL_AT] == OLDER_LEVEL;
                byte[] answer =
                        isOlder
                                ? manner == Manner.HANGS_UP_ON_ALL ? NOTHING : ACCEPTED
                                : answerToVersion5();
                if (answer.length > 0) {
                    client.getOutputStream().write(answer);
                    client.getOutputStream().flush();
                    int _ = in.read();
                }
            }
        }

        private byte[] answerToVersion5() {
            return switch (manner) {
                case SAYS_NO -> UNACCEPTABLE_VERSION;
                case IS_BUSY -> BUSY;
                case HANGS_UP_AND_IS_BUSY -> calls++ == 0 ? NOTHING : BUSY;
                case HANGS_UP, HANGS_UP_ON_ALL -> NOTHING;
            };
        }

        String url() {
            return "mqtt://127.0.0.1:" + server.getLocalPort();
        }

        @Override
        public void close() throws IOException {
            server.close();
        }
    }

    private static void send(String url) throws IOException {
        Envelope envelope =
                Envelope.draft(
                                Actor.parse("ada"),
                                List.of(Domain.parse("code").address()),
                                Lane.CODE,
                                "deploy")
                        .ts(Instant.now())
                        .seal();
        try (MqttCarrier carrier =
                MqttCarrier.open(MqttOptions.of(url, "older"), InstantSource.system())) {
            var _ = carrier.send(envelope);
        }
    }

    @Test
    void aBrokerThatDoesNotSpeakTheVersionIsRefusedAndNotAway() throws Exception {
        for (Manner manner : List.of(Manner.SAYS_NO, Manner.HANGS_UP)) {
            try (OlderBroker broker = new OlderBroker(manner)) {
                assertThatThrownBy(() -> send(broker.url()))
                        .isInstanceOf(NotLetInException.class)
                        .hasMessage(
                                broker.url()
                                        + ": does not speak MQTT 5, expected a broker that does");
            }
        }
    }

    @Test
    void aBrokerThatIsBusyIsAway() throws Exception {
        for (Manner manner : List.of(Manner.IS_BUSY, Manner.HANGS_UP_AND_IS_BUSY)) {
            try (OlderBroker broker = new OlderBroker(manner)) {
                assertThatThrownBy(() -> send(broker.url()))
                        .isInstanceOf(AwayException.class)
                        .hasMessageContaining("because of SERVER_BUSY");
            }
        }
    }

    @Test
    void whatAnswersNobodyIsAway() throws Exception {
        try (OlderBroker broker = new OlderBroker(Manner.HANGS_UP_ON_ALL)) {
            assertThatThrownBy(() -> send(broker.url())).isInstanceOf(AwayException.class);
        }
        String url;
        try (ServerSocket unused = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            url = "mqtt://127.0.0.1:" + unused.getLocalPort();
        }
        Instant start = Instant.now();
        assertThatThrownBy(() -> send(url))
                .isInstanceOf(AwayException.class)
                .hasMessageContaining("Connection refused");
        assertThat(Duration.between(start, Instant.now())).isLessThan(Duration.ofSeconds(8));
    }
}
