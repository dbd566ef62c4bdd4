package dev.pheromone.envelope;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.trust.Key;
import dev.pheromone.trust.SignatureCheck;
import dev.pheromone.trust.SignaturePolicy;
import dev.pheromone.trust.Signer;
import dev.pheromone.trust.TrustList;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;

/// Looks for bytes that break a law of [EnvelopeLaws]: 5,000 in the short form, 1,000,000 with
/// `-Drsm.long=true`.
///
/// The seed is new each time and is in the message of a failure; `-Drsm.seed` replays it.
class EnvelopeFuzzTest {

    private static final int RUNS = Boolean.getBoolean("rsm.long") ? 1_000_000 : 5_000;

    /// Far beyond what any input of this size needs, even on a busy machine.
    private static final Duration HANG = Duration.ofSeconds(5);

    private static final List<byte[]> SEEDS =
            List.of(
                    bytes(Samples.MINIMAL),
                    bytes(Samples.FULL),
                    bytes(Samples.BLOCK_LISTS),
                    bytes(Samples.MINIMAL.replace("\n", "\r\n")),
                    bytes("\ufeff" + Samples.QUOTED));

    @Test
    void noBytesBreakALaw() {
        long seed = Long.getLong("rsm.seed", System.nanoTime());
        Mutator mutator = new Mutator(new SplittableRandom(seed), SEEDS);
        int accepted = 0;
        for (int run = 0; run < RUNS; run++) {
            byte[] input = mutator.next();
            long start = System.nanoTime();
            try {
                accepted += EnvelopeLaws.check(input).isPresent() ? 1 : 0;
            } catch (Exception | AssertionError | StackOverflowError e) {
                throw new AssertionError(
                        "seed %d, run %d, input:%n%s"
                                .formatted(seed, run, new String(input, StandardCharsets.UTF_8)),
                        e);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .as("seed %d, run %d took too long", seed, run)
                    .isLessThan(HANG);
        }
        // A mutator that only makes garbage would test nothing beyond the first error.
        assertThat(accepted).as("seed %d: accepted of %d", seed, RUNS).isGreaterThan(RUNS / 20);
    }

    @Test
    void noTextBreaksTheSignatureReader() {
        long seed = Long.getLong("rsm.seed", System.nanoTime());
        String hex = "0123456789abcdef".repeat(8);
        List<byte[]> seeds = List.of(bytes("ed25519-" + hex), bytes("hmac-" + hex.substring(64)));
        Mutator mutator = new Mutator(new SplittableRandom(seed), seeds);
        for (int run = 0; run < RUNS; run++) {
            String text = new String(mutator.next(), StandardCharsets.UTF_8);
            try {
                Signature signature = Signature.parse(text);
                assertThat(signature.toString()).as("seed %d", seed).isEqualTo(text);
                assertThat(Signature.of(signature.algorithm(), signature.bytes()))
                        .isEqualTo(signature);
            } catch (IllegalArgumentException e) {
                assertThat(e.getMessage()).as("seed %d", seed).contains("expected ");
            }
        }
    }

    @Test
    void noChangedByteKeepsASignature() throws Exception {
        long seed = Long.getLong("rsm.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        Signer signer = Signer.hmac(new KeyId("k1"), new byte[32]);
        Envelope signed = signer.sign(Envelope.parse(bytes(Samples.FULL)));
        TrustList trust = new TrustList(List.of(Key.of(signer, List.of(signed.from()))));
        byte[] original = signed.bytes();
        for (int run = 0; run < RUNS; run++) {
            byte[] forged = original.clone();
            int at = random.nextInt(forged.length);
            forged[at] ^= (byte) (1 + random.nextInt(255));
            try {
                SignatureCheck check =
                        trust.check(
                                Envelope.parse(forged), Instant.EPOCH, SignaturePolicy.OPTIONAL);
                assertThat(check)
                        .as("seed %d, byte %d", seed, at)
                        .isNotInstanceOf(SignatureCheck.Valid.class);
            } catch (MalformedEnvelopeException e) {
                assertThat(e.line()).isPositive();
            }
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
