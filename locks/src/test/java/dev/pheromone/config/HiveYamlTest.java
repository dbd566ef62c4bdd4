package dev.pheromone.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.HiveConfig;
import dev.pheromone.HiveConfig.ArchivePolicy;
import dev.pheromone.HiveConfig.ScopePolicy;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.address.Reach;
import dev.pheromone.selection.HalfLife;
import dev.pheromone.trust.SignaturePolicy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

class HiveYamlTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\n\n",
                "format: 1\n",
                "# a comment\nformat: 1",
                "format:   1  # ours\n",
                "\r\nformat: 1\r\n",
                "---\nformat: 1\n",
                "domains: {}\nlanes: []\ntransports:\n"
            })
    void aFileThatSaysNothingMeansTheDefaults(String yaml) throws Exception {
        assertThat(parse(yaml)).isEqualTo(HiveConfig.defaults());
    }

    @Test
    void theDefaultsWrittenOutAreTheDefaults() throws Exception {
        String yaml =
                """
                format: 1
                domains: {}
                lanes: []
                signatures: optional
                archive: auto
                ttl: {default: 1d, user: 7d}
                decay: {half_life: ttl/4}
                selection: {due_turn: 4}
                backpressure: {depth: 1000, oldest_age: 10m}
                sender: {waiting: 100, rate: 60/m, p0: 5/m}
                lease: {select: 30m, work: 60s}
                attempts: 5
                scopes: warn
                transports: {}
                """;
        assertThat(parse(yaml)).isEqualTo(HiveConfig.defaults());
    }

    @Test
    void everyKeyIsRead() throws Exception {
        HiveConfig config =
                parse(
                        """
                        format: 1
                        lanes: [Research]
                        domains:
                          lab: {lanes: [Research, code]}
                          governance:
                            lanes:
                              - Governance
                        signatures: required
                        archive: approve
                        ttl: {default: 2h, user: 3d}
                        decay: {half_life: 15m}
                        selection: {due_turn: 3}
                        backpressure: {depth: 10, oldest_age: 1m}
                        sender: {waiting: 7, rate: 8/m, p0: 9/m}
                        lease: {select: 1h, work: 30s}
                        attempts: 2
                        scopes: block
                        separate: true
                        transports:
                          team: {url: "nats://localhost:4222", token_file: /run/token, reach: team}
                          open: {url: "https://example.org"}
                          hub:
                            url: tls://hub.example.org
                            hive: parser
                            reach: public
                            user: ada
                            password_file: /run/password
                            ca_file: /run/ca.pem
                            replicas: 3
                        """);
        Lane research = Lane.parse("Research");
        assertThat(config.lanes()).containsExactly(research);
        assertThat(config.allows(research)).isTrue();
        assertThat(config.domainsOf(Lane.CODE)).containsExactly(Domain.parse("lab"));
        assertThat(config.domainsOf(Lane.UI)).containsExactly(Domain.parse("ui"));
        assertThat(config.signatures()).isEqualTo(SignaturePolicy.REQUIRED);
        assertThat(config.archive()).isEqualTo(ArchivePolicy.APPROVE);
        assertThat(config.ttl().usual().duration()).isEqualTo(Duration.ofHours(2));
        assertThat(config.ttl().user().duration()).isEqualTo(Duration.ofDays(3));
        assertThat(config.halfLife()).isEqualTo(new HalfLife.Fixed(Duration.ofMinutes(15)));
        assertThat(config.dueTurn()).isEqualTo(3);
        assertThat(config.backpressure())
                .isEqualTo(new HiveConfig.BackpressureLimits(10, Duration.ofMinutes(1)));
        assertThat(config.sender()).isEqualTo(new HiveConfig.SenderLimits(7, 8, 9));
        assertThat(config.lease())
                .isEqualTo(
                        new HiveConfig.LeaseDefaults(Duration.ofHours(1), Duration.ofSeconds(30)));
        assertThat(config.attempts()).isEqualTo(2);
        assertThat(config.scopes()).isEqualTo(ScopePolicy.BLOCK);
        assertThat(parse("notify: [notify-send, \"you have mail\"]").notifying())
                .containsExactly("notify-send", "you have mail");
        assertThat(config.separate()).isTrue();
        assertThat(config.transports().get("team"))
                .isEqualTo(
                        new HiveConfig.TransportConfig(
                                "nats://localhost:4222",
                                null,
                                Reach.TEAM,
                                new HiveConfig.Login("/run/token", null, null),
                                null,
                                1,
                                List.of(),
                                List.of(),
                                false));
        assertThat(config.transports().get("hub"))
                .isEqualTo(
                        new HiveConfig.TransportConfig(
                                "tls://hub.example.org",
                                "parser",
                                Reach.PUBLIC,
                                new HiveConfig.Login(null, "ada", "/run/password"),
                                "/run/ca.pem",
                                3,
                                List.of(),
                                List.of(),
                                false));
        assertThat(config.transports().get("open").reach()).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    format: 1;domain: {}               | line 2: found unknown key "domain", expected one of format, domains,
                    ttl: {default: 1d, users: 7d}      | line 1: ttl: found unknown key "users", expected one of default, user
                    format: 2;what: ever               | line 1: format: found 2, expected 1: upgrade rsm
                    format: one                        | line 1: format: found "one", expected a number
                    attempts: 0                        | line 1: attempts: found "0", expected a number from 1 to 1000000
                    attempts:                          | line 1: attempts: found nothing, expected a value
                    attempts: [1]                      | line 1: attempts: found a list or map, expected a single value
                    lanes: Code                        | line 1: lanes: found no list, expected one
                    domains: [a]                       | line 1: domains: found no map, expected key: value
                    domains: {../x: {}}                | line 1: domains: found "../x", expected lower-case letters
                    domains: {x: {lanes: [Odd]}}       | line 1: domains: x: lanes: found "Odd", expected a known lane
                    signatures: maybe                  | line 1: signatures: found "maybe", expected optional or required
                    ;;backpressure:;  depth: many      | line 4: backpressure: depth: found "many", expected a number
                    lease: {work: 0s}                  | line 1: lease: work: found "0s", expected at least 1s
                    sender: {rate: 60/h}               | line 1: sender: rate: found "60/h", expected a rate, for example 60/m
                    decay: {half_life: ttl/0}          | line 1: decay: half_life: found ttl/0, expected ttl/1 to ttl/1000
                    separate: yes                      | line 1: separate: found "yes", expected true or false
                    transports: {t: {reach: team}}     | line 1: transports: t: found no url, expected one
                    transports: {t: {url: x, reach: private}} | line 1: transports: t: reach: found "private", expected team or public
                    transports: {t: {url: "ftp://x"}}  | line 1: transports: t: url: found "ftp://x", expected one that begins with http://, https://
                    transports: {t: {url: "nats://me:pw@x"}} | line 1: transports: t: url: found a user or password in it
                    transports: {t: {url: "ftp://me:pw@x"}} | line 1: transports: t: url: found "ftp://x", expected
                    transports: {t: {url: "nats://x", user: a}} | line 1: transports: t: user and password_file: found one, expected both or none
                    transports: {t: {url: "http://127.0.0.1:99999"}} | line 1: transports: t: url: found port "99999" in "http://127.0.0.1:99999", expected 1 to 65535
                    ;transports: {t: {url: "nats://a:4222,nats://b:0"}} | line 2: transports: t: url: found port "0" in "nats://b:0", expected 1 to 65535
                    transports: {t: {url: "nats://"}}  | line 1: transports: t: url: found no host in "nats://", expected one
                    transports: {t: {url: "mqtt://:1"}} | line 1: transports: t: url: found no host in "mqtt://:1", expected one
                    transports: {t: {url: "http://x:1/y"}} | line 1: transports: t: url: found "/y" after the host in "http://x:1/y", expected nothing
                    transports: {t: {url: "http://a,http://b"}} | line 1: transports: t: url: found several servers, expected one
                    transports: {t: {url: "http://a", hive: b}} | line 1: transports: t: hive: found "b", but a server has one hive
                    transports: {t: {url: "nats://a", receive: [b]}} | line 1: transports: t: receive: it is for MQTT alone, expected no such key
                    transports: {t: {url: "http://a", events: true}} | line 1: transports: t: events: it is for MQTT alone, expected no such key
                    transports: {t: {url: "mqtt://a", receive: [.x]}} | line 1: transports: t: receive: found ".x", expected lower-case letters
                    transports: {t: {url: "mqtt://a", receivers: []}} | line 1: transports: t: receivers: found none, expected a name, or no such key
                    transports: {t: {url: "https://a", replicas: 3}} | line 1: transports: t: replicas: found "3", but it is for NATS alone
                    transports: {t: {url: "mqtt://a", replicas: 3}} | line 1: transports: t: replicas: found "3", but it is for NATS alone
                    transports: {muted: {url: "nats://x"}} | line 1: transports: found "muted", expected another name
                    transports: {t: {url: "nats://x", token: a}} | line 1: transports: t: found unknown key "token", expected one of url,
                    attempts: 3;attempts: 3            | line 2: attempts: found a second time, expected once
                    attempts: &a 3                     | line 1: found an anchor or alias
                    attempts: !!int 3                  | line 1: found a tag
                    format: 1;---;format: 1            | line 2: found a second document, expected one
                    - a                                | line 1: found no map, expected key: value
                    [a]: b                             | line 1: found a key that is a list or map, expected a name
                    attempts: [                        | line 1:
                    """)
    void aMistakeIsAnErrorWithItsLine(String yaml, String message) {
        assertThatThrownBy(() -> parse(yaml.replace(';', '\n')))
                .isInstanceOf(MalformedYamlException.class)
                .hasMessageStartingWith(message);
    }

    @Test
    void aThousandLevelsAreAnErrorAndNoCrash() {
        String deep = "lanes: " + "[".repeat(100_000) + "]".repeat(100_000);
        assertThatThrownBy(() -> parse(deep))
                .isInstanceOf(MalformedYamlException.class)
                .hasMessageContaining("found more than 16 levels");
    }

    @Test
    void aHugeFileIsNotRead() {
        assertThatThrownBy(() -> parse("#".repeat(300_000) + "\nlanes: []"))
                .hasMessage("line 1: found 300010 bytes, expected at most 262144");
    }

    @Test
    void bytesThatAreNoTextAreAnError() {
        assertThatThrownBy(() -> HiveYaml.parse(new byte[] {'a', ':', ' ', (byte) 0xFF}))
                .hasMessage("line 1: found bytes that are not UTF-8, expected UTF-8");
        assertThatThrownBy(() -> parse("lanes: [a\0b]")).isInstanceOf(MalformedYamlException.class);
    }

    @Test
    void ofSeveralInboxesForALaneAllServeIt() throws Exception {
        HiveConfig config = parse("domains: {b: {lanes: [Code]}, a: {lanes: [Code]}}");
        assertThat(config.domainsOf(Lane.CODE))
                .isEqualTo(List.of(Domain.parse("a"), Domain.parse("b")));
    }

    private static HiveConfig parse(String yaml) throws MalformedYamlException {
        return HiveYaml.parse(yaml.getBytes(StandardCharsets.UTF_8));
    }
}
