package dev.pheromone.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Consent;
import dev.pheromone.Envelope;
import dev.pheromone.SendResult;
import dev.pheromone.http.HttpOptions;
import dev.pheromone.http.HttpTransport;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;

/// Public mail is looked through by the server, and by clients before it leaves.
final class PublicMailOverHttpTest {

    @TempDir Path root;
    private ServedHive hive;

    @BeforeEach
    void serve() throws Exception {
        hive = new ServedHive(root);
    }

    @AfterEach
    void close() throws IOException {
        hive.close();
    }

    @Test
    void publicMailThatHoldsASecretIs422WithTheKindsAndNotStored() throws Exception {
        ServedHive.Answer answer =
                hive.send(hive.mail("t").consent(Consent.PUBLIC).body("hunter2\n").seal());
        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.code()).isEqualTo("not_public");
        assertThat(answer.json().texts("kinds")).containsExactly("password");
        assertThat(answer.body()).doesNotContain("hunter2");
        assertThat(hive.states()).isEmpty();
    }

    @Test
    void aClientWithoutACheckLetsNoPublicMailLeave() throws Exception {
        Envelope open = hive.mail("open").consent(Consent.PUBLIC).seal();
        try (HttpTransport unchecked =
                new HttpTransport(
                        HttpOptions.of(hive.endpoint.url()).withToken(ServedHive.TOKEN))) {
            assertThat(unchecked.send(open).copies().getFirst().result())
                    .isInstanceOf(SendResult.NotPublic.class);
        }
        assertThat(hive.states()).isEmpty();
    }
}
