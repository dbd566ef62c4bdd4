package dev.pheromone.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.address.Lane;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseLog.Durability;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// Whatever is sent, the server neither fails, nor hangs, nor says where it lives.
final class HostileRequestsTest {

    /// Where a request went wrong with this seed, it does so again.
    private static final long SEED = 20251015L;

    private static final int MUTATIONS = 300;
    private static final String AUTHORIZED =
            "Host: localhost\r\nConnection: close\r\nAuthorization: Bearer "
                    + ServedHive.TOKEN
                    + "\r\n";

    @TempDir Path root;
    private ServedHive hive;

    @BeforeEach
    void serve() throws Exception {
        hive = new ServedHive(root);
    }

    @AfterEach
    void stillServes() throws Exception {
        assertThat(hive.get("/healthz").status()).isEqualTo(200);
        hive.close();
    }

    private RawHttp.Answer call(byte[] request) throws IOException {
        RawHttp.Answer answer = RawHttp.call(hive.endpoint.address().getPort(), request);
        String sent = new String(request, StandardCharsets.ISO_8859_1);
        // HTTP's words for a transfer coding and a version that a server does not know.
        assertThat(answer.status())
                .as(sent)
                .matches(status -> status < 500 || status == 501 || status == 505);
        assertThat(answer.text())
                .as(sent)
                .doesNotContain(root.toString())
                .doesNotContain(ServedHive.TOKEN)
                .doesNotContain("\tat ")
                .doesNotContain("dev.pheromone");
        return answer;
    }

    private RawHttp.Answer call(String request) throws IOException {
        return call(request.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/inboxes/..",
                "/v1/inboxes/../../etc/passwd",
                "/v1/inboxes/%2e%2e",
                "/v1/inboxes/%2e%2e%2f%2e%2e%2fetc",
                "/v1/inboxes/code%2F..%2Fdocs",
                "/v1/inboxes/..%5c..%5c",
                "/v1/inboxes//code",
                "/v1/inboxes/code/",
                "/v1/inboxes/CODE",
                "/v1/envelopes/..%2f..%2fhive.yaml",
                "/v1/envelopes/",
                "/.deia/hive.yaml",
                "//etc/passwd",
                "/rse/../healthz",
                "/openapi.yaml/..",
            })
    void noPathLeadsOutOfTheHive(String path) throws IOException {
        RawHttp.Answer answer = call("GET " + path + " HTTP/1.1\r\n" + AUTHORIZED + "\r\n");
        assertThat(answer.status()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/inboxes/code?limit=-1",
                "/v1/inboxes/code?limit=many",
                "/v1/inboxes/code?wait_s=soon",
                "/v1/inboxes/code?wait_s=-1",
                "/v1/inboxes/code?wait_s=NaN",
                "/v1/inboxes/code?limit=1&limit=2",
                "/v1/inboxes/%zz",
                "/v1/inboxes/%ff",
                "/v1/inboxes/%",
                "/v1/inboxes/code%00",
                "/rse/feed?after=x",
                "/rse/feed?after=-5",
                "/rse/feed?after=99-zz",
                "/rse/sse?after=99999999999999999999",
            })
    void wrongParametersAreTheCallersMistake(String path) throws IOException {
        RawHttp.Answer answer = call("GET " + path + " HTTP/1.1\r\n" + AUTHORIZED + "\r\n");
        assertThat(answer.status()).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "null",
                "{",
                "{}",
                "{\"worker\":1}",
                "{\"worker\":\"../../x\"}",
                "{\"worker\":\"w\",\"lease_s\":\"long\"}",
                "{\"worker\":\"w\",\"lease_s\":-1}",
                "{\"worker\":\"w\",\"lease_s\":0}",
                "{\"worker\":\"w\",\"lease_s\":86401}",
                "{\"worker\":\"w\",\"lease_s\":1e400}",
                "{\"worker\":\"w\",\"wait_s\":true}",
                "{\"worker\":\"w\",\"wait_s\":-1}",
            })
    void wrongWishesAreTheCallersMistake(String body) throws IOException {
        RawHttp.Answer answer =
                call(
                        "POST /v1/inboxes/code/select HTTP/1.1\r\n"
                                + AUTHORIZED
                                + "Content-Type: application/json\r\nContent-Length: "
                                + body.length()
                                + "\r\n\r\n"
                                + body);
        assertThat(answer.status()).isEqualTo(422);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nonsense",
                "code.nonsense",
                "code.01JBRM7XCN6E9M6KQGM6K3J3ZZ.1.w.1.1.x",
                "code...%2f..%2f..%2fhive.yaml",
                "nowhere.01JBRM7XCN6E9M6KQGM6K3J3ZZ.1.w.1.60.cabcde",
            })
    void aClaimThatWasNeverGivenIsNone(String claim) throws IOException {
        String body = "{\"status\":\"done\"}";
        RawHttp.Answer answer =
                call(
                        "POST /v1/claims/"
                                + claim
                                + "/ack HTTP/1.1\r\n"
                                + AUTHORIZED
                                + "Content-Type: application/json\r\nContent-Length: "
                                + body.length()
                                + "\r\n\r\n"
                                + body);
        assertThat(answer.status()).isIn(404, 409, 422);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
                "Transfer-Encoding: chunked\r\n\r\n5\r\nab",
                "Transfer-Encoding: chunked\r\n\r\nffffffff\r\nab",
                "Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n80000000\r\nab",
                "Content-Length: 50\r\n\r\n---",
            })
    void aBodyThatCanNotBeReadIsSaidToBeSo(String rest) throws IOException {
        RawHttp.Answer answer =
                call(
                        "POST /v1/envelopes HTTP/1.1\r\n"
                                + AUTHORIZED
                                + "Content-Type: text/markdown\r\n"
                                + rest);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.text())
                .contains(
                        "application/problem+json",
                        "the body ends early, or is not as HTTP has it");
    }

    @Test
    void malformedRequestsAreRefusedOrDropped() throws IOException {
        List<String> requests =
                List.of(
                        "",
                        "\r\n",
                        "GET\r\n\r\n",
                        "GET / HTTP/9.9\r\n\r\n",
                        "GET http://[::1 HTTP/1.1\r\n\r\n",
                        "\0\0\0\0",
                        "GET / HTTP/1.1\r\n: x\r\n\r\n",
                        "GET / HTTP/1.1\r\n" + "a".repeat(100_000),
                        "GET /" + "a".repeat(100_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
                        "GET / HTTP/1.1\r\n" + "X: y\r\n".repeat(5_000) + "\r\n",
                        "POST /v1/envelopes HTTP/1.1\r\n"
                                + AUTHORIZED
                                + "Content-Length: -1\r\n\r\n",
                        "POST /v1/envelopes HTTP/1.1\r\n"
                                + AUTHORIZED
                                + "Content-Type: text/markdown\r\nContent-Length: 9e9\r\n\r\n",
                        "POST /v1/envelopes HTTP/1.1\r\n"
                                + AUTHORIZED
                                + "Content-Type: text/markdown\r\n"
                                + "Content-Length: 99999999999\r\n\r\n",
                        "POST /v1/envelopes HTTP/1.1\r\n"
                                + AUTHORIZED
                                + "Content-Type: text/markdown\r\nContent-Length: 50\r\n\r\n---",
                        "POST /v1/envelopes HTTP/1.1\r\n"
                                + AUTHORIZED
                                + "Content-Type: text/markdown\r\n"
                                + "Transfer-Encoding: chunked\r\n\r\n"
                                + "zz\r\n",
                        "POST /v1/envelopes HTTP/1.1\r\n"
                                + AUTHORIZED
                                + "Content-Type: text/markdown\r\n"
                                + "Transfer-Encoding: chunked\r\n\r\n"
                                + "20000\r\n"
                                + "x".repeat(0x20000)
                                + "\r\n0\r\n\r\n",
                        "POST /v1/envelopes HTTP/1.1\r\n"
                                + AUTHORIZED
                                + "Transfer-Encoding: gzip\r\n\r\n");
        for (String request : requests) {
            call(request);
        }
    }

    @Test
    void mutatedRequestsAreRefusedOrDropped() throws IOException {
        Random random = new Random(SEED);
        String envelope = new String(hive.mail("fuzz").seal().bytes(), StandardCharsets.UTF_8);
        byte[] good =
                ("POST /v1/envelopes HTTP/1.1\r\n"
                                + AUTHORIZED
                                + "Content-Type: text/markdown\r\nContent-Length: "
                                + envelope.length()
                                + "\r\n\r\n"
                                + envelope)
                        .getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < MUTATIONS; i++) {
            byte[] bad = good.clone();
            for (int change = random.nextInt(8); change >= 0; change--) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt(256);
            }
            call(bad);
        }
    }

    @Test
    void slowRequestsAreEndedAndHurtNobody() throws Exception {
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 50; i++) {
                Socket socket =
                        new Socket(
                                InetAddress.getLoopbackAddress(),
                                hive.endpoint.address().getPort());
                slow.add(socket);
                String begun =
                        i % 2 == 0
                                ? "GET /healthz HTTP/1.1\r\nHost: local"
                                : "POST /v1/envelopes HTTP/1.1\r\n"
                                        + AUTHORIZED
                                        + "Content-Type: text/markdown\r\n"
                                        + "Content-Length: 100\r\n\r\n---";
                socket.getOutputStream().write(begun.getBytes(StandardCharsets.US_ASCII));
            }
            assertThat(hive.get("/healthz").status()).isEqualTo(200);
            for (Socket socket : slow) {
                socket.setSoTimeout((int) ServedHive.PATIENCE.toMillis());
                assertThat(RawHttp.read(socket)).doesNotContain(root.toString());
            }
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    @Test
    void whoBreaksOffInTheMiddleOfAnAnswerLeavesNothingBehind() throws IOException {
        List<RseEvent> events = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            events.add(
                    new RseEvent.Other(
                            hive.clock.instant(),
                            "tick",
                            Lane.CODE,
                            "ada",
                            Json.obj().put("text", "x".repeat(200))));
        }
        hive.files.log().append(events, Durability.GROUPED);
        byte[] request =
                ("GET /rse/sse?after=0 HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer "
                                + ServedHive.TOKEN
                                + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII);
        // More than may be connected at once; `stillServes` is one more.
        for (int i = 0; i < ServerLimits.defaults().connectionsMax() + 50; i++) {
            try (Socket socket =
                    new Socket(
                            InetAddress.getLoopbackAddress(), hive.endpoint.address().getPort())) {
                socket.setSoTimeout((int) ServedHive.PATIENCE.toMillis());
                socket.setSoLinger(true, 0);
                socket.getOutputStream().write(request);
                assertThat(socket.getInputStream().read()).as("connection " + i).isEqualTo('H');
            }
        }
    }
}
