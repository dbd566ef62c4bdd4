package dev.pheromone.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.server.Board.Ran;
import dev.pheromone.server.FixtureBoard.Asked;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// The board's routes: which words a look or a deed stands for, and what becomes of the answer.
final class BoardTest {

    @TempDir Path root;
    private ServedHive hive;
    private String secret;

    @BeforeEach
    void serve() throws Exception {
        hive = new ServedHive(root);
        secret = pair();
    }

    @AfterEach
    void close() throws IOException {
        hive.close();
    }

    private String pair() throws Exception {
        String code = hive.board.pairings().newCode(FixtureBoard.ADA);
        return hive.board.pairings().pair(code).orElseThrow().secret();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(hive.endpoint.url() + path))
                .timeout(ServedHive.PATIENCE)
                .header("Authorization", "Bearer " + secret);
    }

    private ServedHive.Answer look(String look) throws Exception {
        return hive.call(request("/v1/board/looks/" + look).build());
    }

    private ServedHive.Answer deed(String deed, Json.Obj body) throws Exception {
        return post("/v1/board/deeds/" + deed, body);
    }

    private ServedHive.Answer post(String path, Json.Obj body) throws Exception {
        return hive.call(
                request(path)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                        .build());
    }

    private void ends(int exit, String printed) {
        hive.board.program = _ -> new Ran(exit, printed + "\n");
    }

    private static String failure(String code) {
        return Json.obj()
                .put("ok", false)
                .put(
                        "error",
                        Json.obj()
                                .put("code", code)
                                .put("message", "it is so")
                                .put("hint", "do that:")
                                .put("fix", "rsm status")
                                .put("retry_after_s", 7))
                .put("freeze", Json.obj().put("by", "bob"))
                .toString();
    }

    private List<String> asked() {
        return hive.board.asked.stream().reduce((_, last) -> last).map(Asked::words).orElseThrow();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    status                           | status --json --all
                    agents                           | agents --json
                    inbox                            | inbox --json
                    inbox?address=code&limit=7       | inbox --json code --limit 7
                    letter?id=k3f9x2                 | read --json k3f9x2 --peek
                    trace?id=k3f9x2                  | trace --json k3f9x2
                    archive?state=dead&since=7d      | archive --json --state dead --since 7d
                    search?text=from:ci%20red        | search --json from:ci red
                    search?text=--root%3D/etc        | search --json -- --root=/etc
                    questions                        | ask --json --list
                    locks                            | lock --json
                    reservations                     | reserve --json --list
                    embargo                          | embargo --json
                    check?path=a.txt&access=write    | check --json a.txt --write
                    slo?since=-1                     | slo --json --since=-1
                    signals                          | sense --json
                    muted                            | mute --json
                    log?type=a,b&tail=3              | log --json --type a --type b --tail 3
                    """)
    void aLookIsOneCommand(String look, String words) throws Exception {
        ServedHive.Answer answer = look(look);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(String.join(" ", asked())).isEqualTo(words);
        assertThat(hive.board.asked.element().actor()).isEqualTo(FixtureBoard.ADA);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    inbox?foo=1              | parameter foo: expected address, from, lane, priority, limit
                    status?all=1             | parameter all: expected none
                    letter                   | id: found nothing, expected a value
                    letter?id=               | id: found nothing, expected a value
                    check?path=a&access=root | access: found root, expected read, write, erase
                    """)
    void aWrongParameterIsNamed(String look, String why) throws Exception {
        ServedHive.Answer answer = look(look);
        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.json().text("detail")).isEqualTo(why);
        assertThat(hive.board.asked).isEmpty();
    }

    @Test
    void unknownNamesAreNotFound() throws Exception {
        assertThat(look("up").status()).isEqualTo(404);
        assertThat(look("send?to=code").status()).isEqualTo(404);
        assertThat(deed("status", Json.obj()).status()).isEqualTo(404);
        assertThat(hive.board.asked).isEmpty();
    }

    @Test
    void theAnswerIsTheCommandsOwn() throws Exception {
        ends(0, "{\"ok\":true,\"items\":[1.50]}");
        assertThat(look("agents").body()).isEqualTo("{\"ok\":true,\"items\":[1.50]}\n");
    }

    @Test
    void linesBecomeOneObject() throws Exception {
        ends(0, "{\"a\":1}\n{\"b\":2}\n{\"ok\":true,\"count\":2,\"bad\":0}");
        Json.Obj json = look("log").json();
        assertThat(json.list("items")).hasSize(2);
        assertThat(json.number("count")).isEqualTo(2);
    }

    @Test
    void aChartIsAPicture() throws Exception {
        ends(0, "{\"ok\":true,\"svg\":\"<svg/>\"}");
        ServedHive.Answer answer = look("chart?of=depth&since=7d");
        assertThat(answer.body()).isEqualTo("<svg/>");
        assertThat(answer.response().headers().firstValue("Content-Type"))
                .contains("image/svg+xml");
        assertThat(asked()).containsExactly("slo", "--json", "--chart", "depth", "--since", "7d");
    }

    @ParameterizedTest
    @CsvSource({"2, 422", "3, 423", "5, 409", "6, 404", "75, 429", "1, 503"})
    void aFailureIsAProblem(int exit, int status) throws Exception {
        ends(exit, failure("it"));
        ServedHive.Answer answer = look("agents");
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.response().headers().firstValue("Retry-After")).contains("7");
        Json.Obj json = answer.json();
        assertThat(json.text("code")).isEqualTo("it");
        assertThat(json.text("detail")).isEqualTo("it is so");
        assertThat(json.text("hint")).isEqualTo("do that:");
        assertThat(json.text("fix")).isEqualTo("rsm status");
        assertThat(json.object("freeze").text("by")).isEqualTo("bob");
    }

    @ParameterizedTest
    @CsvSource({
        "status, withheld, 200",
        "agents, withheld, 423",
        "slo, slo_missed, 200",
        "slo, withheld, 423",
        "check?path=a, withheld, 200",
        "agents, nothing, 200"
    })
    void someFailuresSayAllThatWasAsked(String look, String code, int status) throws Exception {
        ends(3, failure(code));
        assertThat(look(look).status()).isEqualTo(status);
    }

    @Test
    void whatSaysNothingIsAProblem() throws Exception {
        ends(1, "");
        assertThat(look("agents").status()).isEqualTo(503);
        ends(1, "no JSON");
        hive.clock.advance(Duration.ofSeconds(1));
        assertThat(look("locks").status()).isEqualTo(503);
    }

    @Test
    void whatWasSeenBeforeADeedIsNotShownAfterIt() throws Exception {
        assertThat(look("status").status()).isEqualTo(200);
        assertThat(deed("wake", Json.obj().put("actor", "ci")).status()).isEqualTo(200);
        assertThat(look("status").status()).isEqualTo(200);
        assertThat(hive.board.asked).hasSize(3);
    }

    @Test
    void aDeedIsOneCommandWithItsText() throws Exception {
        Json.Obj mail =
                Json.obj().putTexts("to", List.of("code", "docs")).put("text", "--by=me; $(x)");
        assertThat(deed("send", mail).status()).isEqualTo(200);
        Asked send = hive.board.asked.remove();
        assertThat(send.words())
                .containsExactly(
                        "send", "--json", "--to", "code", "--to", "docs", "--", "--by=me; $(x)");
        assertThat(send.input()).isEqualTo("--by=me; $(x)");
        Json.Obj answer = Json.obj().put("id", "x").put("choice", "yes").put("text", "but");
        assertThat(deed("reply", answer).status()).isEqualTo(200);
        assertThat(asked()).containsExactly("reply", "--json", "x", "yes\n\nbut");
        assertThat(
                        deed(
                                        "reply",
                                        Json.obj()
                                                .put("id", "x")
                                                .put("text", "a")
                                                .put("comment", true))
                                .status())
                .isEqualTo(200);
        assertThat(asked()).containsExactly("reply", "--json", "x", "a", "--comment");
        assertThat(deed("done", Json.obj().put("id", "x")).status()).isEqualTo(200);
        assertThat(asked()).containsExactly("ack", "--json", "x", "done");
    }

    @Test
    void aDeedsFieldsHaveTheirKind() throws Exception {
        Json.Obj mail = Json.obj().put("to", "code").put("text", "x");
        ServedHive.Answer answer = deed("send", mail);
        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.json().text("detail"))
                .isEqualTo("to: found \"code\", expected a list of texts");
        assertThat(deed("retry", Json.obj().put("id", 7)).status()).isEqualTo(422);
        assertThat(deed("retry", Json.obj().put("id", "x").put("by", "ada")).status())
                .isEqualTo(422);
        assertThat(hive.board.asked).isEmpty();
    }

    /// With the name of a claim, which many looks show, the work of whoever holds it is ended.
    @Test
    void theNameOfAClaimIsNoId() throws Exception {
        String claim = "01JBZX5W9V8Q7R6S5T4P3N2M1K.1.bob.1700000000000.1800.abc";
        for (String name : List.of("done", "retry", "reply")) {
            for (String id : List.of(claim, "k3f9x2.2", "", "--root=/x", "../x")) {
                assertThat(deed(name, Json.obj().put("id", id)).status()).isEqualTo(422);
            }
        }
        assertThat(hive.board.asked).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    mute      | {"actor":"ci","for":"1h"}                  | rsm mute ci --for 1h
                    unmute    | {"actor":"ci"}                             | rsm mute ci --off
                    unlock    | {"kind":"hive","release":true}             | rsm unlock hive --release
                    release   | {"ids":["a","b"]}                          | rsm embargo release a b --yes
                    permit    | {"target":"a","content":"b","reason":"c"}  | rsm override a --content b --reason c
                    give-back | {"claim":"c1"}                             | rsm release c1
                    """)
    void whatIsForPeopleIsSaidWithTheWordsToType(String deed, String body, String fix)
            throws Exception {
        hive.board.program =
                _ ->
                        new FixtureBoard.Ran(
                                2,
                                """
                                {"ok":false,"error":{"code":"not_a_person","message":"no",\
                                "hint":"type it in a terminal:","fix":"rsm --root=/x"},\
                                "passkey":{"ask":"get"}}
                                """);
        ServedHive.Answer answer = deed(deed, (Json.Obj) Json.parse(body));
        assertThat(answer.status()).isEqualTo(403);
        assertThat(answer.code()).isEqualTo("not_a_person");
        assertThat(answer.json().text("fix")).isEqualTo(fix);
        assertThat(answer.json().object("passkey").text("ask")).isEqualTo("get");
    }

    @Test
    void whatNoTerminalCanDoIsNotSaidToBeTyped() throws Exception {
        hive.board.program =
                _ ->
                        new FixtureBoard.Ran(
                                2,
                                """
                                {"ok":false,"error":{"code":"not_a_person","message":"no",\
                                "hint":null,"fix":null}}
                                """);
        ServedHive.Answer answer = deed("passkey", Json.obj());
        assertThat(answer.status()).isEqualTo(403);
        assertThat(answer.json().has("fix")).isFalse();
    }

    @Test
    void thePageIsWhereTheServerListensWhateverTheRequestSays() throws Exception {
        int port = hive.endpoint.address().getPort();
        String body = "{\"actor\":\"ci\"}";
        RawHttp.Answer _ =
                raw(
                        "POST /v1/board/deeds/mute HTTP/1.1",
                        "Host: localhost:8888",
                        "Authorization: Bearer " + secret,
                        "Content-Type: application/json",
                        "Content-Length: " + body.length(),
                        "",
                        body);
        assertThat(hive.board.asked).hasSize(1);
        assertThat(hive.board.asked.element().page().origin())
                .isEqualTo("http://localhost:" + port);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"actor\":\"ci\",\"assertion\":5}",
                "{\"actor\":\"ci\",\"assertion\":{}}",
                "{\"actor\":\"ci\",\"registration\":{\"nonce\":\"n\",\"client\":\"%\"}}",
                "{\"actor\":\"ci\",\"assertion\":{\"nonce\":\"n\",\"credential\":\"QUE\"}}"
            })
    void whatIsNoAssertionIsRefusedBeforeAnythingRuns(String body) throws Exception {
        assertThat(deed("mute", (Json.Obj) Json.parse(body)).status()).isEqualTo(422);
        assertThat(hive.board.asked).isEmpty();
    }

    @Test
    void anAssertionOf64KilobytesIsRefused() throws Exception {
        for (String field : List.of("client", "authenticator", "signature", "credential")) {
            Json.Obj shown =
                    Json.obj()
                            .put("nonce", "n")
                            .put("credential", "QUFB")
                            .put("client", "QUFB")
                            .put("authenticator", "QUFB")
                            .put("signature", "QUFB")
                            .put(field, "A".repeat(64_000));
            ServedHive.Answer answer =
                    deed("mute", Json.obj().put("actor", "ci").put("assertion", shown));
            assertThat(answer.status()).isEqualTo(422);
            assertThat(answer.json().text("detail")).startsWith(field + ": found 64000 characters");
        }
        assertThat(hive.board.asked).isEmpty();
    }

    @Test
    void thePageIsThereForEverybodyAtLocalhostAlone() throws Exception {
        String port = ":" + hive.endpoint.address().getPort();
        RawHttp.Answer page = raw("GET / HTTP/1.1", "Host: localhost" + port);
        assertThat(page.status()).isEqualTo(200);
        assertThat(page.text())
                .containsIgnoringCase("Content-Security-Policy: default-src 'self'")
                .containsIgnoringCase("Referrer-Policy: no-referrer");
        assertThat(raw("GET /board/index.html HTTP/1.1", "Host: localhost").status())
                .isEqualTo(200);
        for (String host : List.of("127.0.0.1", "[::1]")) {
            RawHttp.Answer moved = raw("GET / HTTP/1.1", "Host: " + host + port);
            assertThat(moved.status()).isEqualTo(307);
            assertThat(moved.text())
                    .containsIgnoringCase("Location: http://localhost" + port + "/\r\n");
        }
    }

    private RawHttp.Answer raw(String line, String... headers) throws IOException {
        return RawHttp.call(
                hive.endpoint.address().getPort(),
                line + "\r\nConnection: close\r\n" + String.join("\r\n", headers) + "\r\n\r\n");
    }

    @Test
    void theLibraryComesFromItsPackage() throws Exception {
        RawHttp.Answer hooks = raw("GET /board/vendor/hooks.js HTTP/1.1", "Host: localhost");
        assertThat(hooks.text()).contains("from\"./preact.js\"").doesNotContain("\"preact\"");
        assertThat(raw("GET /board/vendor/preact.js HTTP/1.1", "Host: localhost").status())
                .isEqualTo(200);
    }

    @Test
    void aBrowserIsPairedByItsCodeOnce() throws Exception {
        Json.Obj code = Json.obj().put("code", hive.board.pairings().newCode(FixtureBoard.ADA));
        ServedHive.Answer paired = post("/v1/board/pair", code);
        assertThat(paired.status()).isEqualTo(200);
        assertThat(paired.json().text("actor")).isEqualTo("ada");
        secret = paired.json().text("secret");
        assertThat(post("/v1/board/pair", code).code()).isEqualTo("wrong_code");
        assertThat(hive.call(request("/v1/board/who").build()).status()).isEqualTo(200);
        assertThat(post("/v1/board/unpair", Json.obj()).status()).isEqualTo(200);
        assertThat(hive.call(request("/v1/board/who").build()).status()).isEqualTo(401);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Test
    void aLookMayBeLong() throws Exception {
        assertThat(look("search?text=" + encoded("a".repeat(10_000))).status()).isEqualTo(200);
    }
}
