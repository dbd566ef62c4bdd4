package dev.pheromone.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.address.Actor;
import dev.pheromone.envelope.KeyId;
import dev.pheromone.envelope.Signature.Algorithm;
import dev.pheromone.trust.Key;
import dev.pheromone.trust.KeyBytes;
import dev.pheromone.trust.Passkey;
import dev.pheromone.trust.Signer;
import dev.pheromone.trust.TrustList;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;

class TrustYamlTest {

    private static final String PUBLIC = "ab".repeat(32);

    @Test
    void whatIsWrittenIsReadAsTheSameList() throws Exception {
        Instant time = Instant.parse("2030-01-02T03:04:05.678Z");
        Key person =
                Key.of(Signer.ed25519(new KeyId("1e5"), new byte[32]), actors("ada", "007"))
                        .asHuman();
        Key agent =
                new Key(new KeyId("team"), Algorithm.HMAC, null, actors("ci"), false, time, time);
        TrustList list = new TrustList(List.of(person, agent));

        assertThat(TrustYaml.parse(TrustYaml.write(list))).isEqualTo(list);
        assertThat(TrustYaml.parse(TrustYaml.write(TrustList.empty())))
                .isEqualTo(TrustList.empty());
    }

    @Test
    void aSecretIsNeverWritten() {
        byte[] secret = "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
        Key key = Key.of(Signer.hmac(new KeyId("team"), secret), actors("ci"));
        String yaml =
                new String(TrustYaml.write(TrustList.empty().with(key)), StandardCharsets.UTF_8);
        assertThat(yaml).contains("team").doesNotContain("public").doesNotContain("30313233");
    }

    @Test
    void aFileWrittenByHandIsRead() throws Exception {
        TrustList list =
                parse(
                        """
                        # who may sign
                        keys:
                        - kid: laptop-1   # ada's
                          algorithm: ed25519
                          public: %s
                          actors:
                            - ada
                          human: true
                          expires: 2030-01-01T00:00:00+02:00
                        """
                                .formatted(PUBLIC));
        Key key = list.find(new KeyId("laptop-1")).orElseThrow();
        assertThat(key.actors()).isEqualTo(actors("ada"));
        assertThat(key.human()).isTrue();
        assertThat(key.expires()).isEqualTo(Instant.parse("2029-12-31T22:00:00Z"));
        assertThat(parse("")).isEqualTo(TrustList.empty());
    }

    @Test
    void addingAndRevokingKeepsWhatSomebodyWrote() throws Exception {
        String byHand =
                """
                # who may sign
                format: 1
                keys:
                  - kid: laptop-1   # ada's
                    algorithm: ed25519
                    public: %s
                    actors: [ada]\
                """
                        .formatted(PUBLIC);
        Key ci = new Key(new KeyId("ci"), Algorithm.HMAC, null, actors("ci"), false, null, null);
        String added = edited(byHand, ci);
        assertThat(added).startsWith(byHand + "\n  - kid: \"ci\"\n");

        Instant time = Instant.parse("2030-01-02T03:04:05Z");
        Key laptop = parse(added).find(new KeyId("laptop-1")).orElseThrow();
        String revoked = edited(added, laptop.revokedAt(time));
        assertThat(revoked)
                .isEqualTo(
                        added.replace(
                                "# ada's\n", "# ada's\n    revoked: \"2030-01-02T03:04:05Z\"\n"));
        assertThat(parse(revoked).find(laptop.kid())).contains(laptop.revokedAt(time));
    }

    @Test
    void aFileThatCanNotBeAddedToIsWrittenAnew() throws Exception {
        Key ci = new Key(new KeyId("ci"), Algorithm.HMAC, null, actors("ci"), false, null, null);
        String anew =
                new String(TrustYaml.write(TrustList.empty().with(ci)), StandardCharsets.UTF_8);
        assertThat(edited("keys: []\n", ci)).isEqualTo(anew);
        assertThat(edited("keys: [{kid: ci, algorithm: hmac, actors: [old]}]\n", ci))
                .isEqualTo(anew);
        assertThat(edited("# only words\n", ci))
                .startsWith("# only words\nkeys:\n  - kid: \"ci\"\n");
    }

    private static String edited(String yaml, Key key) throws MalformedYamlException {
        byte[] bytes = TrustYaml.with(yaml.getBytes(StandardCharsets.UTF_8), key);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    format: 3                                     | line 1: format: found 3, expected 2: upgrade rsm
                    key: []                                       | line 1: found unknown key "key"
                    keys: {}                                      | line 1: keys: found no list
                    keys: [x]                                     | line 1: keys: found no map
                    keys:;- algorithm: hmac                       | line 2: keys: found no kid
                    keys:;- kid: a                                | line 2: keys: found no algorithm
                    keys:;- {kid: a/b, algorithm: hmac}           | line 2: keys: kid: found "a/b", expected 1 to 64
                    keys:;- {kid: a, algorithm: rsa}              | line 2: keys: algorithm: found "rsa", expected ed25519 or hmac
                    keys:;- {kid: a, algorithm: ed25519, actors: [x]}            | line 2: key a has no public key
                    keys:;- {kid: a, algorithm: ed25519, public: abcd, actors: [x]} | line 2: key a has 2 bytes, expected 32
                    keys:;- {kid: a, algorithm: ed25519, public: ABCD, actors: [x]} | line 2: keys: public: found other characters
                    keys:;- {kid: a, algorithm: hmac, public: abcd, actors: [x]} | line 2: keys: found public for hmac key a
                    keys:;- {kid: a, algorithm: hmac}             | line 2: key a has no actors, expected at least one
                    keys:;- {kid: a, algorithm: hmac, actors: [x], expires: soon} | line 2: keys: expires: found "soon", expected a time
                    keys:;- {kid: a, algorithm: hmac, actors: [x]};- {kid: a, algorithm: hmac, actors: [y]} | line 3: keys: found key a a second time
                    """)
    void aMistakeIsAnErrorWithItsLine(String yaml, String message) {
        assertThatThrownBy(() -> parse(yaml.replace(';', '\n')))
                .isInstanceOf(MalformedYamlException.class)
                .hasMessageStartingWith(message);
    }

    private static TrustList parse(String yaml) throws MalformedYamlException {
        return TrustYaml.parse(yaml.getBytes(StandardCharsets.UTF_8));
    }

    private static List<Actor> actors(String... names) {
        return List.of(names).stream().map(Actor::parse).toList();
    }

    @Test
    void passkeysAreInAListOfTheirOwnAndMakeItAnotherFormat() throws Exception {
        Passkey passkey =
                new Passkey(
                        KeyId.parse("ada-pk-1"),
                        KeyBytes.parseHex("0a0b"),
                        KeyBytes.parseHex("a501"),
                        Actor.parse("ada"),
                        true,
                        null);
        byte[] yaml = "format: 1\n# of ours\nkeys: []\n".getBytes(StandardCharsets.UTF_8);

        byte[] trusted = TrustYaml.with(yaml, passkey);

        assertThat(new String(trusted, StandardCharsets.UTF_8))
                .startsWith("format: 2\n# of ours\nkeys: []\npasskeys:\n")
                .contains("credential: \"0a0b\"", "synced: true");
        assertThat(TrustYaml.parse(trusted).passkeys()).containsExactly(passkey);
        Passkey revoked = passkey.revokedAt(Instant.parse("2026-11-19T20:00:00Z"));
        byte[] given = TrustYaml.with(trusted, revoked);
        assertThat(new String(given, StandardCharsets.UTF_8)).contains("# of ours");
        assertThat(TrustYaml.parse(given)).isEqualTo(TrustList.empty().with(revoked));
        assertThat(TrustYaml.write(TrustYaml.parse(given)))
                .isEqualTo(TrustYaml.write(TrustList.empty().with(revoked)));
    }

    @Test
    void aPasskeyHasNoNameOfAnotherKey() {
        String yaml =
                """
                format: 2
                keys:
                  - kid: "k"
                    algorithm: ed25519
                    public: "%s"
                    actors: ["ada"]
                passkeys:
                  - kid: "k"
                    credential: "0a"
                    public: "0b"
                    actor: "ada"
                """
                        .formatted("ab".repeat(32));
        assertThatThrownBy(() -> TrustYaml.parse(yaml.getBytes(StandardCharsets.UTF_8)))
                .hasMessageContaining("found key k a second time");
    }
}
