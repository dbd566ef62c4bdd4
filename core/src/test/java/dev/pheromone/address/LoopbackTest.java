package dev.pheromone.address;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LoopbackTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "LocalHost",
                "127.0.0.1",
                "127.1.2.3",
                "127.255.255.254",
                "::1",
                "[::1]",
                "0:0:0:0:0:0:0:1",
                "::ffff:127.0.0.1",
                "[::ffff:127.0.0.1]"
            })
    void aLoopbackAddressIsThisMachine(String host) {
        assertThat(Loopback.isHost(host)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0.0.0.0",
                "::",
                "[::]",
                "[]",
                "[",
                "]",
                "[127.0.0.1]",
                "127.0.0.1.",
                "127.1",
                "127.0.0.256",
                "127.0.0.01",
                "0177.0.0.1",
                "2130706433",
                "0x7f.0.0.1",
                "::2",
                "::ffff:192.168.1.20",
                "fe80::1",
                "::1%lo",
                "192.168.1.20",
                "localhost.",
                "localhost.localdomain",
                "localhost.evil.example",
                "127.0.0.1.evil.example",
                "ip6-localhost",
                "evil.example",
                " localhost",
                "１２７.0.0.1"
            })
    void anyOtherNameMayBeAnotherMachine(String host) {
        assertThat(Loopback.isHost(host)).isFalse();
    }

    @Test
    void mailReachesTheTeamOnlyIfEveryServerIsThisMachine() {
        assertThat(Loopback.reachOf("nats://127.0.0.1:4222, tls://[::1]:4223,localhost:1"))
                .isEqualTo(Reach.TEAM);
        assertThat(Loopback.reachOf("nats://127.0.0.1,nats://hive.example.org"))
                .isEqualTo(Reach.PUBLIC);
        assertThat(Loopback.reachOf("http://localhost@evil.example")).isEqualTo(Reach.PUBLIC);
        assertThat(Loopback.reachOf("nats://127.0.0.1,")).isEqualTo(Reach.PUBLIC);
        assertThat(Loopback.reachOf("not a url")).isEqualTo(Reach.PUBLIC);
        assertThat(Loopback.reachOf("")).isEqualTo(Reach.PUBLIC);
    }
}
