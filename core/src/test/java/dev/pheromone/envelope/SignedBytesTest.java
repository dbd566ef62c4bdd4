package dev.pheromone.envelope;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;

final class SignedBytesTest {

    @Test
    void theSignedBytesAreExactlyTheSpecifiedOnes() throws Exception {
        String header = "a: b\r\n# c\r\n";
        byte[] text =
                "\ufeff---\r\na: b\r\nsig: x # y\r\n# c\r\n---\r\nbody"
                        .getBytes(StandardCharsets.UTF_8);
        byte[] signed =
                SignedBytes.of(EnvelopeText.parse(text), Signature.Algorithm.HMAC, new KeyId("k"));
        assertThat(new String(signed, StandardCharsets.UTF_8))
                .isEqualTo("RSM-SIG-v1\nhmac\nk\n" + header.length() + "\n" + header + "4\nbody");
    }
}
