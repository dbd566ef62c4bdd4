package dev.pheromone.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.State;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/// What becomes of mail whose taker did not hear what the server said.
final class LostAnswersTest {

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
    void whatComesForAWaitingClientThatIsGoneIsGivenBack() throws Exception {
        Json.Obj wish = Json.obj().put("worker", "gone").put("wait_s", 20);
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), hive.endpoint.address().getPort())) {
            socket.getOutputStream()
                    .write(
                            ("POST /v1/inboxes/code/select HTTP/1.1\r\nHost: localhost\r\n"
                                            + "Authorization: Bearer "
                                            + ServedHive.TOKEN
                                            + "\r\nContent-Type: application/json\r\n"
                                            + "Content-Length: "
                                            + wish.toString().length()
                                            + "\r\n\r\n"
                                            + wish)
                                    .getBytes(StandardCharsets.US_ASCII));
            // By the end of this wait the other one has begun.
            assertThat(
                            hive.post(
                                            "/v1/inboxes/code/select",
                                            Json.obj().put("worker", "w1").put("wait_s", 0.5))
                                    .status())
                    .isEqualTo(204);
        }
        hive.files.send(hive.mail("later").seal());
        ServedHive.Answer answer =
                hive.post(
                        "/v1/inboxes/code/select",
                        Json.obj().put("worker", "w1").put("wait_s", 20));
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.json().number("attempt")).isEqualTo(1);
    }

    @Test
    void aFailureOrReleaseMayBeSaidAgainAndCountsOnce() throws Exception {
        hive.send(hive.mail("once").seal());
        String released = "/v1/claims/" + hive.take() + "/release";
        Json.Obj error = Json.obj().put("status", "error");
        ServedHive.Answer first = hive.post(released, Json.obj());
        assertThat(hive.post(released, Json.obj()).body()).isEqualTo(first.body());

        String failed = "/v1/claims/" + hive.take() + "/ack";
        first = hive.post(failed, error);
        ServedHive.Answer again = hive.post(failed, error);
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.body()).isEqualTo(first.body());

        hive.clock.advance(Duration.ofMinutes(1));
        ServedHive.Answer next =
                hive.post("/v1/inboxes/code/select", Json.obj().put("worker", "w2"));
        assertThat(next.json().number("attempt")).isEqualTo(2);
        assertThat(hive.post(failed, error).status()).as("while another has it").isEqualTo(200);
        assertThat(hive.states()).containsExactly(State.ACTIVE);
        assertThat(hive.post(failed.replace("/ack", "/release"), Json.obj()).status())
                .as("it was no release")
                .isEqualTo(409);
    }
}
