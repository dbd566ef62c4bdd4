package dev.pheromone.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.testkit.McpText;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// The tools over HTTP: in the name of the actor whose token is shown, and no further than mail may
/// go.
@Timeout(60)
final class McpOverHttpTest {

    private static final String CODEX = ServedHive.tokenOf("codex-19be");
    private static final String CLAUDE = ServedHive.tokenOf("claude-7f3a");

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

    private HttpRequest.Builder post(String token, Json body, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(hive.endpoint.url().resolve("/mcp"))
                        .timeout(ServedHive.PATIENCE)
                        .header("Authorization", "Bearer " + token)
                        .header("Content-Type", "application/json")
                        .header("Accept", "application/json, text/event-stream")
                        .POST(HttpRequest.BodyPublishers.ofString(body.toString()));
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return request;
    }

    private static Json.Obj parsed(String body) {
        String json = body;
        for (String line : body.lines().toList()) {
            json = line.startsWith("data: ") ? line.substring(6) : json;
        }
        try {
            return (Json.Obj) Json.parse(json);
        } catch (MalformedJsonException e) {
            throw new AssertionError(body, e);
        }
    }

    private Json.Obj call(String token, String tool, Json.Obj arguments) throws Exception {
        ServedHive.Answer answer = hive.call(post(token, McpText.call(1, tool, arguments)).build());
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return parsed(answer.body()).object("result").object("structuredContent");
    }

    private static Json.Obj mail(String body) {
        return Json.obj().putTexts("to", List.of("code")).put("body", body);
    }

    private static Json.Obj fromCode() {
        return Json.obj().put("from", "code");
    }

    @Test
    void anAgentIsWhoeverItsTokenSays() throws Exception {
        assertThat(call(CODEX, "hive_start", Json.obj()).text("actor")).isEqualTo("codex-19be");
        assertThat(call(CLAUDE, "hive_start", Json.obj()).text("address"))
                .isEqualTo("worker://claude-7f3a");
        call(CODEX, "send", mail("please look"));
        Json.Obj taken = call(CLAUDE, "take", fromCode());
        assertThat(taken.text("from")).isEqualTo("codex-19be");
        Json.Obj done =
                call(
                        CLAUDE,
                        "done",
                        Json.obj()
                                .put("claim", taken.text("claim"))
                                .put("status", "done")
                                .put("reply", "fine"));
        assertThat(done.text("state")).isEqualTo("done");
        assertThat(call(CODEX, "take", Json.obj()).text("text")).contains("| fine");
    }

    @ParameterizedTest
    @CsvSource({
        "correct-horse-battery-staple, 403",
        "token-of-nobody-at-all, 401",
        "token-of-codex-19be-alon, 401",
        "token-of-codex-19be-alone, 200"
    })
    void theTokenOfAllClientsIsNotEnough(String token, int status) throws Exception {
        ServedHive.Answer answer =
                hive.call(post(token, McpText.request(1, "ping", Json.obj())).build());
        assertThat(answer.status()).isEqualTo(status);
    }

    @Test
    void theTokenOfOneActorOpensNothingElse() throws Exception {
        ServedHive.Answer answer =
                hive.call(
                        HttpRequest.newBuilder(hive.endpoint.url().resolve("/v1/inboxes"))
                                .header("Authorization", "Bearer " + CODEX)
                                .build());
        assertThat(answer.status()).isEqualTo(401);
    }

    @Test
    void aPageOfAnotherSiteGetsNothing() throws Exception {
        assertThat(
                        hive.call(
                                        post(
                                                        CODEX,
                                                        McpText.request(1, "ping", Json.obj()),
                                                        "Origin",
                                                        "http://evil.example")
                                                .build())
                                .status())
                .isEqualTo(403);
    }

    @Test
    void privateMailIsNeitherShownNorTakenNorFound() throws Exception {
        String id =
                hive.files.send(hive.mail("secret").consent(Consent.PRIVATE).seal()).id().text();
        assertThat(call(CODEX, "inbox", Json.obj().put("of", "code")).list("items")).isEmpty();
        assertThat(call(CODEX, "take", fromCode()).flag("taken")).isFalse();
        assertThat(call(CODEX, "take", fromCode().put("id", id)).has("error")).isTrue();
        assertThat(call(CODEX, "read", Json.obj().put("id", id)).has("error")).isTrue();
        assertThat(call(CODEX, "find", Json.obj().put("trace", id)).has("error")).isTrue();
        assertThat(call(CODEX, "ask", Json.obj().put("id", id)).has("error")).isTrue();
        assertThat(call(CODEX, "find", Json.obj().put("text", "secret")).list("items")).isEmpty();
        assertThat(hive.states()).containsExactly(State.WAITING);
        call(CODEX, "send", mail("for the team"));
        assertThat(call(CODEX, "take", fromCode()).text("text")).contains("for the team");
    }

    @Test
    void aPrivateAnswerIsNotTold() throws Exception {
        call(CODEX, "take", Json.obj());
        call(CLAUDE, "take", Json.obj());
        Json.Obj asked =
                call(
                        CODEX,
                        "ask",
                        Json.obj().put("to", "worker://claude-7f3a").put("question", "which key?"));
        assertThat(asked.text("state")).isEqualTo("open");
        hive.files.send(
                Envelope.draft(
                                new Actor("claude-7f3a"),
                                List.of(Address.parse("worker://codex-19be")),
                                Lane.CODE,
                                "the key")
                        .ts(hive.clock.instant())
                        .correlationId(EnvelopeId.parse(asked.text("id")))
                        .answer("swordfish")
                        .consent(Consent.PRIVATE)
                        .body("swordfish\n")
                        .seal());
        Json.Obj told = call(CODEX, "ask", Json.obj().put("id", asked.text("id")));
        assertThat(told.object("error").text("message")).contains("goes no further");
        assertThat(told.toString()).doesNotContain("swordfish");
    }

    @Test
    void whoeverWaitsGetsMailAsAnEvent() throws Exception {
        CompletableFuture<HttpResponse<String>> waiting =
                hive.client.sendAsync(
                        post(CLAUDE, McpText.call(1, "take", fromCode().put("wait_s", 20))).build(),
                        HttpResponse.BodyHandlers.ofString());
        call(CODEX, "send", mail("late"));
        HttpResponse<String> answer = waiting.get();
        assertThat(answer.headers().firstValue("Content-Type")).contains("text/event-stream");
        assertThat(parsed(answer.body()).object("result").object("structuredContent").text("text"))
                .contains("| late");
    }

    @Test
    void whoeverWaitsIsLetGoWhenTheServerStops() throws Exception {
        CompletableFuture<HttpResponse<String>> waiting =
                hive.client.sendAsync(
                        post(CLAUDE, McpText.call(1, "take", fromCode().put("wait_s", 50))).build(),
                        HttpResponse.BodyHandlers.ofString());
        await().until(() -> hive.endpoint.answering() == 1);
        hive.endpoint.close();
        assertThat(parsed(waiting.get().body()).has("result")).isTrue();
    }

    @Test
    void whatIsNotAnsweredIsAccepted() throws Exception {
        Json.Obj told = McpText.told("notifications/initialized", Json.obj());
        assertThat(hive.call(post(CODEX, told).build()).status()).isEqualTo(202);
    }

    private static Json.Obj stateless() {
        return Json.obj()
                .put(
                        "_meta",
                        Json.obj()
                                .put("io.modelcontextprotocol/protocolVersion", "2026-07-28")
                                .put("io.modelcontextprotocol/clientCapabilities", Json.obj()));
    }

    @ParameterizedTest
    @CsvSource({
        "2026-07-28, tools/list, 200",
        "2025-11-25, tools/list, 400",
        "2026-07-28, prompts/list, 400",
        "'', tools/list, 400"
    })
    void headersMustSayWhatTheMessageSays(String version, String method, int status)
            throws Exception {
        Json.Obj asked = McpText.request(1, "tools/list", stateless());
        HttpRequest request =
                version.isEmpty()
                        ? post(CODEX, asked, "Mcp-Method", method).build()
                        : post(CODEX, asked, "MCP-Protocol-Version", version, "Mcp-Method", method)
                                .build();
        ServedHive.Answer answer = hive.call(request);
        assertThat(answer.status()).isEqualTo(status);
        if (status == 400) {
            assertThat(parsed(answer.body()).object("error").number("code")).isEqualTo(-32020);
        }
    }

    @Test
    void aFrozenHiveSaysSoAndSendsNothing() throws Exception {
        hive.lock();
        Json.Obj answer = call(CODEX, "take", fromCode());
        assertThat(answer.object("error").text("code")).isEqualTo("withheld");
        assertThat(answer.toString()).doesNotContain(root.toString());
    }
}
