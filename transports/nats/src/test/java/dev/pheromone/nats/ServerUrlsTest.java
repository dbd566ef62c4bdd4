package dev.pheromone.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.address.Reach;

import org.junit.jupiter.api.Test;

/// What is known of servers from their addresses alone.
final class ServerUrlsTest {

    @Test
    void aSecretGoesInPlainTextToThisMachineAlone() {
        NatsOptions far = NatsOptions.of("nats://127.0.0.1:4222, nats://hive.example:4222", "h");
        NatsLogin token = new NatsLogin.Token(() -> "secret");
        assertThatThrownBy(() -> far.withLogin(token))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "url: found nats://hive.example:4222 with a token or password, expected"
                                + " tls://");
        assertThat(NatsOptions.of("tls://hive.example", "h").withLogin(token).login())
                .isEqualTo(token);
        assertThat(NatsOptions.of("nats://localhost", "h").withLogin(token).login())
                .isEqualTo(token);
    }

    @Test
    void reachIsTeamOnThisMachinePublicElsewhereOrAsDeclared() {
        assertThat(ServerUrls.reach("nats://127.0.0.1:4222,tls://localhost,[::1]:1"))
                .isEqualTo(Reach.TEAM);
        assertThat(ServerUrls.reach("nats://127.0.0.1:4222,nats://hive.example:4222"))
                .isEqualTo(Reach.PUBLIC);
        assertThat(ServerUrls.reach("nats://127.0.0.1.example")).isEqualTo(Reach.PUBLIC);
        assertThat(ServerUrls.reach("nats://[0:0:0:0:0:0:0:1]:4222")).isEqualTo(Reach.TEAM);
        assertThat(ServerUrls.reach("nats://[::ffff:127.0.0.1]:4222")).isEqualTo(Reach.TEAM);
        assertThat(ServerUrls.reach("not a url")).isEqualTo(Reach.PUBLIC);
    }
}
