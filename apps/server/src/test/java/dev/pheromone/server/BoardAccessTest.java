package dev.pheromone.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.pheromone.address.Lane;
import dev.pheromone.disk.NotRun;
import dev.pheromone.envelope.Consent;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseLog.Durability;
import dev.pheromone.session.caller.Pairings;
import dev.pheromone.session.caller.UserFolder;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Who gets to the board: paired browsers, by a page of this server alone.
final class BoardAccessTest {

    private static final String LOOK = "GET /v1/board/looks/status HTTP/1.1";

    @TempDir Path root;
    private ServedHive hive;
    private String secret;

    @BeforeEach
    void serve() throws Exception {
        hive = new ServedHive(root);
        secret = pair(hive.board.pairings());
    }

    @AfterEach
    void close() throws IOException {
        hive.close();
    }

    private static String pair(Pairings pairings) throws IOException {
        return pairings.pair(pairings.newCode(FixtureBoard.ADA)).orElseThrow().secret();
    }

    private RawHttp.Answer raw(String line, String... headers) throws IOException {
        List<String> lines = new ArrayList<>(List.of(line));
        lines.addAll(List.of(headers));
        lines.add("Connection: close");
        return RawHttp.call(
                hive.endpoint.address().getPort(), String.join("\r\n", lines) + "\r\n\r\n");
    }

    private int status(String line, String... headers) throws IOException {
        List<String> all = new ArrayList<>(List.of(headers));
        all.addAll(List.of("Host: localhost", "Authorization: Bearer " + secret));
        return raw(line, all.toArray(String[]::new)).status();
    }

    private RawHttp.Answer post(String path, String body, String... headers) throws IOException {
        List<String> all = new ArrayList<>(List.of(headers));
        all.addAll(List.of("Host: localhost", "Content-Type: application/json"));
        all.add("Content-Length: " + body.length());
        all.add("Connection: close");
        return RawHttp.call(
                hive.endpoint.address().getPort(),
                "POST " + path + " HTTP/1.1\r\n" + String.join("\r\n", all) + "\r\n\r\n" + body);
    }

    private RawHttp.Answer tryCode(String code) throws IOException {
        return post("/v1/board/pair", Json.obj().put("code", code).toString());
    }

    @Test
    void aSecretLetsInAndNothingElseDoes() throws IOException {
        assertThat(status(LOOK)).isEqualTo(200);
        String right = secret;
        for (String wrong : List.of("", "x", right + "x", ServedHive.tokenOf("codex-19be"))) {
            secret = wrong;
            assertThat(status(LOOK)).as(wrong).isEqualTo(401);
        }
        assertThat(raw(LOOK, "Host: localhost").status()).isEqualTo(401);
        assertThat(raw(LOOK, "Host: localhost", "Authorization: Basic " + right).status())
                .isEqualTo(401);
        assertThat(hive.board.asked).hasSize(1);
    }

    @Test
    void aSecretOfAnotherHiveOrAnotherUserIsNone() throws IOException {
        UserFolder folder = new UserFolder(root.resolve("home/user"));
        secret = pair(new Pairings(folder, root.resolve("other"), hive.clock));
        assertThat(status(LOOK)).isEqualTo(401);
        UserFolder other = new UserFolder(root.resolve("home/other"));
        secret = pair(new Pairings(other, hive.layout.root(), hive.clock));
        assertThat(status(LOOK)).isEqualTo(401);
    }

    @Test
    void aSecretThatIsNotUsedEnds() throws IOException {
        hive.clock.advance(Duration.ofDays(29));
        assertThat(status(LOOK)).isEqualTo(200);
        hive.clock.advance(Duration.ofDays(29));
        assertThat(status(LOOK)).isEqualTo(200);
        hive.clock.advance(Duration.ofDays(31));
        assertThat(status(LOOK)).isEqualTo(401);
    }

    @Test
    void allSecretsCanBeForgotten() throws IOException {
        assertThat(hive.board.pairings().forget()).isEqualTo(1);
        assertThat(status(LOOK)).isEqualTo(401);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /v1/inboxes",
                "GET /v1/inboxes/code",
                "POST /v1/envelopes",
                "POST /v1/inboxes/code/select",
                "GET /v1/status",
                "GET /metrics",
                "GET /rse/feed",
                "GET /v1/nowhere",
                "POST /mcp"
            })
    void aSecretOpensTheBoardAlone(String request) throws IOException {
        assertThat(status(request + " HTTP/1.1")).isEqualTo(401);
    }

    @Test
    void aSecretOpensTheEventStream() throws IOException {
        assertThat(status("GET /rse/sse?after=x HTTP/1.1")).isEqualTo(400);
    }

    @Test
    void theTokenOfAllClientsLooksAsNobodyAndDoesNothing() throws Exception {
        assertThat(hive.get("/v1/board/looks/status").status()).isEqualTo(200);
        assertThat(hive.board.asked.remove().actor().name()).isEqualTo("nobody");
        ServedHive.Answer deed = hive.post("/v1/board/deeds/retry", Json.obj().put("id", "k3f9x2"));
        assertThat(deed.status()).isEqualTo(403);
        assertThat(deed.code()).isEqualTo("not_paired");
        assertThat(hive.post("/v1/board/unpair", Json.obj()).status()).isEqualTo(403);
        assertThat(hive.board.asked).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "Host: evil.example, 421",
        "Host: localhost.evil.example:7777, 421",
        "Origin: http://evil.example, 403",
        "Origin: null, 403",
        "Origin: http://localhost:7778, 403",
        "Sec-Fetch-Site: cross-site, 403",
        "Sec-Fetch-Site: same-site, 403"
    })
    void whatAnotherPageOrNameBringsIsRefused(String header, int status) throws IOException {
        String host = header.startsWith("Host") ? header : "Host: localhost:7777";
        String other = header.startsWith("Host") ? "X-A: b" : header;
        String shown = "Authorization: Bearer " + secret;
        for (String line :
                List.of(
                        LOOK,
                        "GET /v1/board/who HTTP/1.1",
                        "GET /rse/sse HTTP/1.1",
                        "GET / HTTP/1.1",
                        "GET /board/index.html HTTP/1.1",
                        "POST /v1/board/deeds/retry HTTP/1.1",
                        "POST /v1/board/pair HTTP/1.1",
                        "POST /v1/board/unpair HTTP/1.1")) {
            assertThat(raw(line, host, other, shown).status()).as(line).isEqualTo(status);
        }
        assertThat(hive.board.asked).isEmpty();
        assertThat(hive.board.pairings().actor(secret)).isPresent();
    }

    @Test
    void aLinkMayLeadToThePageAndToNothingElse() throws IOException {
        String[] link = {
            "Host: localhost",
            "Sec-Fetch-Site: cross-site",
            "Sec-Fetch-Mode: navigate",
            "Sec-Fetch-Dest: document"
        };
        assertThat(raw("GET / HTTP/1.1", link).status()).isEqualTo(200);
        assertThat(raw("GET /board/index.html HTTP/1.1", link).status()).isEqualTo(403);
        assertThat(raw(LOOK, link).status()).isEqualTo(403);
        link[3] = "Sec-Fetch-Dest: iframe";
        assertThat(raw("GET / HTTP/1.1", link).status()).isEqualTo(403);
    }

    @Test
    void aCodeIsGoodOnceForTwoMinutes() throws IOException {
        String late = hive.board.pairings().newCode(FixtureBoard.ADA);
        hive.clock.advance(Duration.ofSeconds(121));
        String code = hive.board.pairings().newCode(FixtureBoard.ADA);
        assertThat(tryCode(code).status()).isEqualTo(200);
        RawHttp.Answer used = tryCode(code);
        assertThat(used.status()).isEqualTo(403);
        assertThat(tryCode(late).body()).isEqualTo(used.body());
        assertThat(tryCode("guessed").body()).isEqualTo(used.body());
        assertThat(tryCode("../" + code).body()).isEqualTo(used.body());
    }

    @Test
    void whoGuessesIsSlowedDownAndKeepsNobodyOut() throws IOException {
        String code = hive.board.pairings().newCode(FixtureBoard.ADA);
        for (int i = 0; i < 10; i++) {
            assertThat(tryCode("guess " + i).status()).isEqualTo(403);
        }
        RawHttp.Answer refused = tryCode("guess 11");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.text()).contains("Retry-After: 60");
        assertThat(tryCode(code).status()).isEqualTo(200);
    }

    @Test
    void aSecretIsKeptAsAHashThatOnlyItsOwnerReads() throws IOException {
        Path folder = root.resolve("home/user");
        try (var files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertThat(file.toString()).doesNotContain(secret);
                assertThat(file).content().doesNotContain(secret);
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                        .isEqualTo("rw-------");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/board/..%2fopenapi.yaml",
                "/board/%2e%2e/openapi.yaml",
                "/board/../openapi.yaml",
                "/board/openapi.yaml",
                "/board/vendor/..%2findex.html",
                "/board/vendor/%2e%2e",
                "/board/.htaccess",
                "/board/index.html%00.js",
                "/board/INDEX.HTML",
                "/board/",
                "/board/vendor/",
                "/board/vendor/preact.module.js",
                "/board//etc/passwd"
            })
    void aFileOfThePageIsNamedAndNotAPath(String path) throws IOException {
        assertThat(raw("GET " + path + " HTTP/1.1", "Host: localhost").status())
                .isIn(400, 401, 404);
    }

    @Test
    void aBrowserThatIsForgottenFollowsTheLogNoFurther() throws Exception {
        try (Socket browser =
                new Socket(InetAddress.getLoopbackAddress(), hive.endpoint.address().getPort())) {
            String request =
                    "GET /rse/sse HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                            + secret
                            + "\r\n\r\n";
            browser.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            await().until(() -> hive.endpoint.streaming() == 1);
            assertThat(hive.board.pairings().forget()).isEqualTo(1);
            RseEvent event =
                    RseEvent.of(
                                    hive.clock.instant(),
                                    "pheromone_drop",
                                    Lane.CODE,
                                    "ada",
                                    Json.obj().put("topic", "late").put("priority", "P1"))
                            .withConsent(Consent.TEAM);
            await().atMost(ServedHive.PATIENCE)
                    .until(() -> {
                        hive.files.log().append(event, Durability.DISK);
                        return hive.endpoint.streaming() == 0;
                    });
        }
    }

    /// Browsers go to `[::1]` first where `localhost` is named.
    @Test
    void nobodyElseHasTheOtherAddressOfLocalhost(@TempDir Path other) throws Exception {
        InetAddress second = InetAddress.ofLiteral("::1");
        if (NetworkInterface.getByInetAddress(second) == null) {
            throw NotRun.because("BoardAccessTest", "this machine has no ::1");
        }
        // Whoever has an address and does not listen there yet is no less dangerous.
        try (Socket taken = new Socket()) {
            taken.bind(new InetSocketAddress(second, 0));
            InetSocketAddress bind =
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), taken.getLocalPort());
            ServerOptions options = ServerOptions.at(bind).withToken(ServedHive.TOKEN);
            assertThatThrownBy(() -> new ServedHive(other, hive.clock, _ -> options).close())
                    .isInstanceOf(BindException.class);
        }
        try (Socket client = new Socket(second, hive.endpoint.address().getPort())) {
            assertThat(client.isConnected()).isTrue();
        }
    }

    @Test
    void aHeadIsThePageWithoutItsText() throws IOException {
        RawHttp.Answer head = raw("HEAD / HTTP/1.1", "Host: localhost");
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        assertThat(status("HEAD /v1/board/looks/status HTTP/1.1")).isEqualTo(200);
    }

    @Test
    void nobodySendsALongBodyOrOneThatIsNoJson() throws IOException {
        String shown = "Authorization: Bearer " + secret;
        assertThat(tryCode("x".repeat(1 << 20)).status()).isEqualTo(413);
        assertThat(post("/v1/board/deeds/send", "x".repeat(1 << 20), shown).status())
                .isEqualTo(413);
        assertThat(post("/v1/board/deeds/send", "[]", shown).status()).isEqualTo(422);
        assertThat(post("/v1/board/deeds/send", "{", shown).status()).isEqualTo(422);
        // A form of another page can send this without being asked.
        assertThat(status("POST /v1/board/deeds/send HTTP/1.1", "Content-Type: text/plain"))
                .isEqualTo(415);
        assertThat(hive.board.asked).isEmpty();
    }
}
