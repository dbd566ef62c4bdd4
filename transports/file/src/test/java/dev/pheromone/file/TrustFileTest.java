package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Lane;
import dev.pheromone.config.Secrets;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeDraft;
import dev.pheromone.envelope.KeyId;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.trust.Key;
import dev.pheromone.trust.KeyBytes;
import dev.pheromone.trust.SignatureCheck;
import dev.pheromone.trust.SignaturePolicy;
import dev.pheromone.trust.Signer;
import dev.pheromone.trust.TrustList;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// The list of trusted keys as a file of the hive.
class TrustFileTest {

    private static final Actor ADA = Actor.parse("ada");
    private static final byte[] SECRET = new byte[32];

    @TempDir Path root;
    private TestHive hive;

    @BeforeEach
    void makeHive() throws IOException {
        hive = new TestHive(root);
    }

    private FileTransport open(Secrets secrets) throws Exception {
        return FileTransport.open(
                hive.layout, PolicyGuard.open(), TestHive.SELF, hive.clock, secrets);
    }

    private static Key key(Signer signer) {
        return Key.of(signer, List.of(ADA));
    }

    @Test
    void whatIsSavedIsTrustedFromTheNextOpeningOn() throws Exception {
        Key laptop = key(Signer.ed25519(KeyId.parse("laptop"), SECRET));
        try (FileTransport transport = open(Secrets.none())) {
            transport.trust(laptop);
            assertThat(transport.trust()).isEqualTo(TrustList.empty());
        }
        try (FileTransport transport = open(Secrets.none())) {
            assertThat(transport.trust().keys()).containsExactly(laptop);
        }
    }

    @Test
    void savingLeavesNothingBesideIt() throws Exception {
        try (FileTransport transport = open(Secrets.none())) {
            Key laptop = key(Signer.ed25519(KeyId.parse("laptop"), SECRET));
            transport.trust(laptop);
            transport.trust(laptop.revokedAt(hive.clock.instant()));
        }
        try (Stream<Path> entries = Files.list(hive.layout.hive())) {
            assertThat(entries.map(entry -> entry.getFileName().toString()))
                    .noneMatch(name -> name.startsWith("."));
        }
    }

    @Test
    void aSharedSecretIsOnlyInTheHandsOfWhoeverHasIt() throws Exception {
        Signer signer = Signer.hmac(KeyId.parse("robots"), SECRET);
        try (FileTransport transport = open(Secrets.none())) {
            transport.trust(key(signer));
        }
        assertThat(Files.readString(hive.layout.trust())).doesNotContain("0000");
        assertThat(check(signer, Secrets.none())).isInstanceOf(SignatureCheck.Bad.class);
        assertThat(check(signer, _ -> Optional.of(KeyBytes.of(SECRET))))
                .isInstanceOf(SignatureCheck.Valid.class);
    }

    private EnvelopeDraft mail() {
        return Envelope.draft(ADA, List.of(Address.parse("queen://code")), Lane.CODE, "test")
                .ts(hive.clock.instant());
    }

    private SignatureCheck check(Signer signer, Secrets secrets) throws Exception {
        try (FileTransport transport = open(secrets)) {
            return transport
                    .trust()
                    .check(
                            signer.sign(mail().seal()),
                            hive.clock.instant(),
                            SignaturePolicy.OPTIONAL);
        }
    }
}
