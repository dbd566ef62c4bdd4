package dev.pheromone.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// Who gets in: by token, by the name that the server is called by, and by the page that calls.
final class AccessTest {

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

    private RawHttp.Answer raw(String method, String path, List<String> headers)
            throws IOException {
        List<String> lines = new ArrayList<>(headers);
        lines.add("Connection: close");
        return RawHttp.call(
                hive.endpoint.address().getPort(),
                method + " " + path + " HTTP/1.1\r\n" + String.join("\r\n", lines) + "\r\n\r\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    GET  | /v1/inboxes   | none   | 401
                    GET  | /v1/inboxes   | right  | 200
                    GET  | /v1/inboxes   | wrong  | 401
                    GET  | /v1/inboxes   | empty  | 401
                    GET  | /v1/inboxes   | basic  | 401
                    GET  | /v1/inboxes   | twice  | 401
                    GET  | /v1/inboxes   | proxy  | 401
                    HEAD | /v1/inboxes   | none   | 401
                    HEAD | /v1/inboxes   | right  | 200
                    GET  | /nowhere      | none   | 401
                    GET  | /healthz      | none   | 200
                    HEAD | /healthz      | none   | 200
                    GET  | /healthz      | wrong  | 200
                    GET  | /healthz/     | none   | 401
                    POST | /healthz      | none   | 401
                    POST | /v1/envelopes | none   | 401
                    POST | /v1/envelopes | wrong  | 401
                    POST | /v1/envelopes | right  | 415
                    POST | /nowhere      | none   | 401
                    POST | /nowhere      | wrong  | 401
                    POST | /nowhere      | right  | 404
                    PUT  | /v1/envelopes | none   | 401
                    PUT  | /v1/envelopes | right  | 405
                    """)
    void theTokenIsNeededForAllButWhetherTheServerIsThere(
            String method, String path, String shown, int status) throws IOException {
        List<String> headers = new ArrayList<>(List.of("Host: localhost"));
        String right = "Authorization: Bearer " + ServedHive.TOKEN;
        switch (shown) {
            case "right" -> headers.add(right);
            case "wrong" -> headers.add("Authorization: Bearer " + ServedHive.TOKEN + "x");
            case "empty" -> headers.add("Authorization: Bearer ");
            case "basic" -> headers.add("Authorization: Basic " + ServedHive.TOKEN);
            case "twice" -> headers.addAll(List.of(right, right));
            case "proxy" -> headers.add("X-Forwarded-For: 203.0.113.7");
            default -> assertThat(shown).isEqualTo("none");
        }
        RawHttp.Answer answer = raw(method, path, headers);
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.text()).doesNotContain(ServedHive.TOKEN);
    }

    @Test
    void everyReadNeedsTheTokenOnThisMachineToo() throws IOException {
        for (Route route : hive.endpoint.routes()) {
            String path = route.template().replaceAll("\\{[a-z]+\\}", "code");
            int status = raw(route.method(), path, List.of("Host: localhost")).status();
            boolean isOpen = path.matches("/|/healthz|/board/(vendor/)?code|/v1/board/pair");
            assertThat(status == 401).as(path + " " + status).isEqualTo(!isOpen);
        }
    }

    @Test
    void aWrongTokenTellsNothing() throws IOException {
        String wrong = "Authorization: Bearer wrong";
        RawHttp.Answer none = raw("POST", "/v1/envelopes", List.of("Host: localhost"));
        RawHttp.Answer there = raw("POST", "/v1/envelopes", List.of("Host: localhost", wrong));
        RawHttp.Answer nowhere = raw("POST", "/nowhere", List.of("Host: localhost", wrong));
        assertThat(there.body()).isEqualTo(none.body()).isEqualTo(nowhere.body());
        assertThat(none.text()).containsIgnoringCase("WWW-Authenticate: Bearer");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    localhost        | 200
                    LOCALHOST:7777   | 200
                    127.0.0.1:7777   | 200
                    [::1]:7777       | 200
                    192.168.1.20     | 200
                    evil.example.org | 421
                    localhost.evil.example.org | 421
                    127.0.0.1.evil.example.org | 421
                    evil.example.org:80 | 421
                    ''               | 400
                    [                | 400
                    [:80             | 400
                    ]                | 400
                    """)
    void theServerIsCalledByAnAddressOrByANameOfItsOwn(String host, int status) throws IOException {
        assertThat(raw("GET", "/healthz", List.of("Host: " + host)).status()).isEqualTo(status);
    }

    @Test
    void twoHostsOrNoneAreNoHost() throws IOException {
        assertThat(raw("GET", "/healthz", List.of()).status()).isEqualTo(400);
        assertThat(raw("GET", "/healthz", List.of("Host: localhost", "Host: evil.org")).status())
                .isEqualTo(400);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    http://localhost:7777 | 200
                    http://evil.example.org | 403
                    https://localhost:7777 | 403
                    http://localhost:80 | 403
                    null | 403
                    """)
    void aPageOfSomebodyElseGetsNothing(String origin, int status) throws IOException {
        assertThat(asked("Origin: " + origin)).isEqualTo(status);
    }

    @ParameterizedTest
    @CsvSource({"same-origin, 200", "none, 200", "same-site, 403", "cross-site, 403", "x, 403"})
    void aBrowserThatAsksForAPageOfSomebodyElseGetsNothing(String site, int status)
            throws IOException {
        assertThat(asked("Sec-Fetch-Site: " + site)).isEqualTo(status);
    }

    /// The answer to a request with the token and this header.
    private int asked(String header) throws IOException {
        List<String> headers =
                List.of(
                        "Host: localhost:7777",
                        "Authorization: Bearer " + ServedHive.TOKEN,
                        header);
        return raw("GET", "/v1/inboxes", headers).status();
    }

    @Test
    void aServerForReadingChangesNothing(@TempDir Path other) throws Exception {
        try (ServedHive readOnly =
                new ServedHive(
                        other,
                        new dev.pheromone.testkit.FakeClock(Instant.now()),
                        ServerOptions::readOnly)) {
            ServedHive.Answer answer = readOnly.send(readOnly.mail("no").seal());
            assertThat(answer.status()).isEqualTo(403);
            assertThat(answer.code()).isEqualTo("read_only");
            assertThat(readOnly.get("/v1/status").json().flag("read_only")).isTrue();
            assertThat(readOnly.states()).isEmpty();
        }
    }
}
