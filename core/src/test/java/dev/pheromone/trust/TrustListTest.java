package dev.pheromone.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.KeyId;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.envelope.Signature;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

class TrustListTest {

    private static final Instant NOW = Instant.parse("2025-11-03T09:15:30Z");
    private static final Actor ADA = new Actor("ada");
    private static final Actor BOB = new Actor("bob");
    private static final Signer ED25519 = Signer.ed25519(new KeyId("laptop"), seed(1));
    private static final Signer HMAC = Signer.hmac(new KeyId("team"), seed(2));
    private static final Envelope UNSIGNED = envelope(Consent.TEAM);

    @Nested
    class Signed {

        @Test
        void theOwnersSignatureIsValidWithEitherAlgorithm() {
            for (Signer signer : List.of(ED25519, HMAC)) {
                assertThat(check(signer.sign(UNSIGNED), Key.of(signer, List.of(BOB, ADA))))
                        .isEqualTo(new SignatureCheck.Valid(signer.kid(), ADA, false));
            }
        }

        @Test
        void aPersonsKeyIsKnownAsOne() {
            Key key = Key.of(ED25519, List.of(ADA)).asHuman();
            assertThat(check(ED25519.sign(UNSIGNED), key))
                    .isEqualTo(new SignatureCheck.Valid(ED25519.kid(), ADA, true));
            assertThat(new TrustList(List.of(key)).hasHumanKey(NOW)).isTrue();
            assertThat(new TrustList(List.of(key.revokedAt(NOW))).hasHumanKey(NOW)).isFalse();
            assertThat(new TrustList(List.of(key.expiringAt(NOW))).hasHumanKey(NOW)).isTrue();
        }

        @Test
        void signingAnewReplacesTheOldSignature() {
            Envelope twice = ED25519.sign(HMAC.sign(UNSIGNED));
            assertThat(twice.kid()).contains(ED25519.kid());
            assertThat(check(twice, Key.of(ED25519, List.of(ADA))))
                    .isInstanceOf(SignatureCheck.Valid.class);
            assertThat(twice.isSameMailAs(UNSIGNED)).isTrue();
        }

        @Test
        void anotherActorsKeyIsBad() {
            assertThat(check(ED25519.sign(UNSIGNED), Key.of(ED25519, List.of(BOB))))
                    .isEqualTo(new SignatureCheck.Bad("key laptop does not belong to ada"));
        }

        @Test
        void anUnknownKeyIsBad() {
            assertThat(check(ED25519.sign(UNSIGNED), Key.of(HMAC, List.of(BOB))))
                    .isEqualTo(new SignatureCheck.Bad("key laptop is not trusted here"));
        }

        @Test
        void anotherKeyOfThatNameIsBad() {
            Signer impostor = Signer.ed25519(ED25519.kid(), seed(9));
            assertThat(check(impostor.sign(UNSIGNED), Key.of(ED25519, List.of(ADA))))
                    .isEqualTo(
                            new SignatureCheck.Bad(
                                    "the signature is not key laptop's for these bytes"));
        }

        @Test
        void aPublicKeyIsNeverTakenForASecret() {
            Signer forger = Signer.hmac(ED25519.kid(), ED25519.publicKey());
            assertThat(check(forger.sign(UNSIGNED), Key.of(ED25519, List.of(ADA))))
                    .isEqualTo(new SignatureCheck.Bad("key laptop signs with ed25519, not hmac"));
        }

        @Test
        void aRevokedOrExpiredKeyIsBad() {
            Key key = Key.of(ED25519, List.of(ADA));
            Envelope signed = ED25519.sign(UNSIGNED);
            SignatureCheck bad = new SignatureCheck.Bad("key laptop is revoked or expired");
            assertThat(check(signed, key.revokedAt(NOW))).isEqualTo(bad);
            assertThat(check(signed, key.expiringAt(NOW))).isEqualTo(bad);
            assertThat(check(signed, key.expiringAt(NOW.plusMillis(1))))
                    .isInstanceOf(SignatureCheck.Valid.class);
        }

        @Test
        void aSecretThatIsNotHereProvesNothing() {
            Key elsewhere =
                    new Key(HMAC.kid(), HMAC.algorithm(), null, List.of(ADA), false, null, null);
            assertThat(check(HMAC.sign(UNSIGNED), elsewhere))
                    .isEqualTo(
                            new SignatureCheck.Bad(
                                    "the secret of key team is not on this machine"));
        }
    }

    @Nested
    class WithoutKid {

        @Test
        void theSendersKeysAreTriedButNoMoreThanEight() throws Exception {
            Envelope signed = signedWithoutKid(ED25519);
            List<Key> others = new ArrayList<>();
            for (int i = 0; i < 7; i++) {
                Signer other = Signer.ed25519(new KeyId("other-" + i), seed(10 + i));
                others.add(Key.of(other, List.of(ADA)));
            }
            Key right = Key.of(ED25519, List.of(ADA));
            assertThat(check(signed, with(others, right))).isInstanceOf(SignatureCheck.Valid.class);

            others.add(Key.of(Signer.ed25519(new KeyId("eighth"), seed(30)), List.of(ADA)));
            assertThat(check(signed, with(others, right)))
                    .isEqualTo(
                            new SignatureCheck.Bad(
                                    "the signature is of none of ada's keys for these bytes"));
        }

        @Test
        void keysOfOthersAreNotTried() throws Exception {
            assertThat(check(signedWithoutKid(ED25519), Key.of(ED25519, List.of(BOB))))
                    .isEqualTo(new SignatureCheck.Bad("ada has no live ed25519 key here"));
        }

        private static Key[] with(List<Key> keys, Key last) {
            List<Key> all = new ArrayList<>(keys);
            all.add(last);
            return all.toArray(Key[]::new);
        }
    }

    @Nested
    class Unsigned {

        @Test
        void mailOfAnActorWithoutAKeyIsUnsigned() {
            assertThat(check(UNSIGNED)).isEqualTo(new SignatureCheck.Unsigned());
            assertThat(check(UNSIGNED, Key.of(ED25519, List.of(BOB))))
                    .isEqualTo(new SignatureCheck.Unsigned());
        }

        @Test
        void strippingASignatureIsNoticed() {
            assertThat(check(UNSIGNED, Key.of(ED25519, List.of(ADA))))
                    .isEqualTo(new SignatureCheck.Bad("no signature, but ada has key laptop"));
        }

        @Test
        void anActorWhoseKeysAreAllGoneMayWriteUnsigned() {
            Key gone = Key.of(ED25519, List.of(ADA)).revokedAt(NOW);
            assertThat(check(UNSIGNED, gone)).isEqualTo(new SignatureCheck.Unsigned());
        }

        @Test
        void aHiveMayRequireSignatures() {
            assertThat(TrustList.empty().check(UNSIGNED, NOW, SignaturePolicy.REQUIRED))
                    .isEqualTo(new SignatureCheck.Bad("no signature, but this hive requires one"));
        }
    }

    @Test
    void publicMailNeedsAnEd25519Signature() {
        Envelope mail = envelope(Consent.PUBLIC);
        SignatureCheck bad = new SignatureCheck.Bad("consent public needs an ed25519 signature");
        assertThat(check(mail)).isEqualTo(bad);
        assertThat(check(HMAC.sign(mail), Key.of(HMAC, List.of(ADA)))).isEqualTo(bad);
        assertThat(check(ED25519.sign(mail), Key.of(ED25519, List.of(ADA))))
                .isInstanceOf(SignatureCheck.Valid.class);
    }

    @Test
    void ed25519AgreesWithTheTestVectorOfItsStandard() {
        byte[] seed =
                HexFormat.of()
                        .parseHex(
                                "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb");
        Signer signer = Signer.ed25519(new KeyId("rfc8032"), seed);
        assertThat(signer.publicKey())
                .asHexString()
                .isEqualToIgnoringCase(
                        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
        assertThat(signer.sign(new byte[] {0x72}))
                .hasToString(
                        "ed25519-92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                            + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
    }

    @Test
    void keysThatAreTooShortAreRefused() {
        assertThatThrownBy(() -> Signer.hmac(new KeyId("k"), new byte[31]))
                .hasMessage("key k has 31 bytes, expected at least 32");
        assertThatThrownBy(() -> Signer.ed25519(new KeyId("k"), new byte[33]))
                .hasMessage("key k has 33 bytes, expected 32");
    }

    @Test
    void secretsAreNotInTheirTexts() {
        assertThat(HMAC.toString() + Key.of(HMAC, List.of(ADA))).doesNotContain("0202");
    }

    @Test
    void aKeyIsListedOnce() {
        Key key = Key.of(ED25519, List.of(ADA));
        assertThatThrownBy(() -> new TrustList(List.of(key, key)))
                .hasMessage("key laptop is listed twice, expected once");
        TrustList list = TrustList.empty().with(key).with(key.asHuman());
        assertThat(list.keys()).containsExactly(key.asHuman());
    }

    private static SignatureCheck check(Envelope envelope, Key... keys) {
        return new TrustList(List.of(keys)).check(envelope, NOW, SignaturePolicy.OPTIONAL);
    }

    private static Envelope signedWithoutKid(Signer signer) throws MalformedEnvelopeException {
        Signature signature = signer.sign(UNSIGNED.signedBytes(signer.algorithm()));
        String text = new String(UNSIGNED.bytes(), StandardCharsets.UTF_8);
        return Envelope.parse(
                text.replace("\nhash:", "\nsig: " + signature + "\nhash:")
                        .getBytes(StandardCharsets.UTF_8));
    }

    private static Envelope envelope(Consent consent) {
        return Envelope.draft(ADA, List.of(Address.parse("queen://code")), Lane.CODE, "hi")
                .ts(NOW)
                .consent(consent)
                .body("body")
                .seal();
    }

    private static byte[] seed(int value) {
        byte[] seed = new byte[32];
        Arrays.fill(seed, (byte) value);
        return seed;
    }
}
