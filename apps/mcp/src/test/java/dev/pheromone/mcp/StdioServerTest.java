package dev.pheromone.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pheromone.testkit.McpText;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;

/// What a client meets on standard streams, however it behaves.
@Timeout(60)
final class StdioServerTest {

    private static final Json.Obj STATELESS =
            Json.obj()
                    .put(
                            "_meta",
                            Json.obj()
                                    .put("io.modelcontextprotocol/protocolVersion", "2026-07-28")
                                    .put("io.modelcontextprotocol/clientCapabilities", Json.obj()));

    private final SampleMethods methods = new SampleMethods();
    private final Wire wire = new Wire(methods);

    @AfterEach
    void close() {
        methods.gate.countDown();
        wire.close();
    }

    private static Json.Obj named(String tool) {
        return Json.obj().put("name", tool);
    }

    private void assertStillAnswers() {
        assertThat(wire.ask("tools/call", named("hello")).object("result").text("said"))
                .isEqualTo("hello");
    }

    @ParameterizedTest
    @CsvSource({
        "2025-06-18, 2025-06-18",
        "2025-11-25, 2025-11-25",
        "2026-07-28, 2025-11-25",
        "2031-01-01, 2025-11-25"
    })
    void clientsOfOlderRevisionsBeginWithInitialize(String asked, String answered) {
        Json.Obj result =
                wire.ask(
                                "initialize",
                                Json.obj()
                                        .put("protocolVersion", asked)
                                        .put("capabilities", Json.obj()))
                        .object("result");
        assertThat(result.text("protocolVersion")).isEqualTo(answered);
        assertThat(result.text("instructions")).isEqualTo("be kind");
        assertThat(result.object("serverInfo").text("name")).isEqualTo("sample");
        wire.tell("notifications/initialized", Json.obj());
        assertThat(wire.ask("ping", Json.obj()).object("result").size()).isZero();
        assertThat(wire.ask("tools/list", Json.obj()).object("result").names())
                .containsExactly("tools");
    }

    @Nested
    class WithoutSession {

        @Test
        void aClientDiscoversTheServer() {
            Json.Obj result = wire.ask("server/discover", STATELESS).object("result");
            assertThat(result.list("supportedVersions").toString())
                    .isEqualTo("[\"2026-07-28\", \"2025-11-25\", \"2025-06-18\"]");
            assertThat(result.object("capabilities").has("tools")).isTrue();
            assertThat(result.text("resultType")).isEqualTo("complete");
            assertThat(result.has("ttlMs")).isTrue();
        }

        @Test
        void aResultSaysWhoseItIsAndThatItIsWhole() {
            Json.Obj list = wire.ask("tools/list", STATELESS).object("result");
            assertThat(list.names())
                    .contains("resultType", "ttlMs", "cacheScope", "tools", "_meta");
            Json.Obj called =
                    wire.ask("tools/call", STATELESS.put("name", "hello")).object("result");
            assertThat(called.text("resultType")).isEqualTo("complete");
            assertThat(called.has("ttlMs")).isFalse();
        }

        @Test
        void aRequestThatLacksItsRevisionIsRefused() {
            assertThat(error(wire.ask("server/discover", Json.obj()))).isEqualTo(-32602);
        }

        @Test
        void anUnknownRevisionIsToldWhichThereAre() {
            Json.Obj meta =
                    STATELESS
                            .object("_meta")
                            .put("io.modelcontextprotocol/protocolVersion", "1999-01-01");
            Json.Obj error = wire.ask("tools/list", Json.obj().put("_meta", meta)).object("error");
            assertThat(error.number("code")).isEqualTo(-32022);
            assertThat(error.object("data").text("requested")).isEqualTo("1999-01-01");
            assertThat(error.object("data").list("supported")).hasSize(3);
        }

        @ParameterizedTest
        @ValueSource(strings = {"initialize", "ping", "logging/setLevel"})
        void whatBelongsToSessionsIsNotThere(String method) {
            assertThat(error(wire.ask(method, STATELESS))).isEqualTo(-32601);
        }
    }

    private static long error(Json.Obj answer) {
        return answer.object("error").number("code");
    }

    @Test
    void bothErasAreSpokenOnOneConnection() {
        assertThat(wire.ask("server/discover", STATELESS).has("result")).isTrue();
        assertThat(
                        wire.ask("initialize", Json.obj().put("protocolVersion", "2025-11-25"))
                                .has("result"))
                .isTrue();
        assertThat(wire.ask("tools/list", STATELESS).object("result").has("resultType")).isTrue();
        assertThat(wire.ask("tools/list", Json.obj()).object("result").has("resultType")).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    no JSON                                               | -32700
                    {"jsonrpc":"2.0","id":1                               | -32700
                    [{"jsonrpc":"2.0","id":1,"method":"ping"}]            | -32600
                    []                                                    | -32600
                    7                                                     | -32600
                    {"id":1,"method":"ping"}                              | -32600
                    {"jsonrpc":"1.0","id":1,"method":"ping"}              | -32600
                    {"jsonrpc":"2.0","id":null,"method":"ping"}           | -32600
                    {"jsonrpc":"2.0","id":1.5,"method":"ping"}            | -32600
                    {"jsonrpc":"2.0","id":{},"method":"ping"}             | -32600
                    {"jsonrpc":"2.0","id":1}                              | -32600
                    {"jsonrpc":"2.0","id":1,"method":7}                   | -32600
                    {"jsonrpc":"2.0","id":1,"method":"ping","params":[1]} | -32602
                    {"jsonrpc":"2.0","id":1,"method":"no/such"}           | -32601
                    {"jsonrpc":"2.0","id":1,"method":"initialize"}        | -32602
                    """)
    void whatIsNoRequestIsRefusedAndTheNextIsAnswered(String line, long code) {
        wire.send(line);
        assertThat(error(wire.next())).isEqualTo(code);
        assertStillAnswers();
    }

    @Test
    void anErrorNamesTheRequestWhereItsIdCanBeRead() {
        wire.send("{\"jsonrpc\":\"2.0\",\"id\":\"a b\",\"method\":\"no/such\"}");
        assertThat(wire.next().text("id")).isEqualTo("a b");
        wire.send("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}");
        assertThat(wire.next().get("id")).contains(Json.Null.NULL);
    }

    @Test
    void aLineOfMoreThanAMegabyteIsRefusedUnread() {
        wire.send("{\"a\":\"" + "x".repeat(StdioServer.LINE_BYTES_MAX) + "\"}");
        Json.Obj answer = wire.next();
        assertThat(error(answer)).isEqualTo(-32600);
        assertThat(answer.object("error").text("message")).contains("1048576 bytes");
        assertStillAnswers();
    }

    @Test
    void bytesThatAreNoTextAreRefused() {
        wire.send(new byte[] {'{', '"', (byte) 0xc0, (byte) 0x80, '"', '}', '\n'});
        assertThat(error(wire.next())).isEqualTo(-32700);
        assertStillAnswers();
    }

    @Test
    void whatIsNestedTooDeepIsRefused() {
        wire.send("[".repeat(100_000));
        assertThat(error(wire.next())).isEqualTo(-32700);
        assertStillAnswers();
    }

    @Test
    void messagesMayComeInPiecesAndWithReturns() {
        String request = McpText.request(41, "ping", Json.obj()).toString();
        wire.send(request.substring(0, 10).getBytes(StandardCharsets.UTF_8));
        wire.send((request.substring(10) + "\r\n\r\n").getBytes(StandardCharsets.UTF_8));
        assertThat(wire.next().number("id")).isEqualTo(41);
        assertStillAnswers();
    }

    @Test
    void notificationsAndAnswersAreNotAnswered() {
        wire.tell("notifications/whatever", Json.obj());
        wire.tell("notifications/cancelled", Json.obj().put("requestId", 99));
        wire.tell("notifications/cancelled", Json.obj());
        wire.send("{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}");
        assertStillAnswers();
    }

    @Test
    void aDefectIsToldAndEndsNothing() {
        assertThat(error(wire.ask("tools/call", named("break")))).isEqualTo(-32603);
        assertThat(wire.log).anyMatch(line -> line.contains("a defect"));
        assertStillAnswers();
    }

    @Test
    void callsAreAnsweredBesideEachOther() throws Exception {
        int waiting = wire.begin("tools/call", named("wait"));
        methods.begun.await();
        int second = wire.begin("tools/call", named("second"));
        assertThat(wire.next().number("id")).isEqualTo(second);
        methods.gate.countDown();
        assertThat(wire.next().number("id")).isEqualTo(waiting);
    }

    @Test
    void aCallThatIsCancelledIsNotAnsweredAndIsUndone() throws Exception {
        int waiting = wire.begin("tools/call", named("wait"));
        methods.begun.await();
        wire.tell("notifications/cancelled", Json.obj().put("requestId", waiting));
        await().until(() -> methods.unsent.get() == 1);
        int second = wire.begin("tools/call", named("second"));
        assertThat(wire.next().number("id")).isEqualTo(second);
    }

    @Test
    void aSecondCallOfTheSameIdIsRefusedWhileTheFirstIsUnderWay() throws Exception {
        int waiting = wire.begin("tools/call", named("wait"));
        methods.begun.await();
        wire.send(McpText.request(waiting, "tools/call", named("second")).toString());
        assertThat(error(wire.next())).isEqualTo(-32600);
        methods.gate.countDown();
        assertThat(wire.next().object("result").flag("waited")).isTrue();
    }

    @Test
    void onlySoManyCallsAreUnderWay() throws Exception {
        for (int i = 0; i < StdioServer.CALLS_MAX; i++) {
            wire.begin("tools/call", named("wait"));
        }
        methods.begun.await();
        wire.begin("tools/call", named("one more"));
        assertThat(error(wire.next())).isEqualTo(-32000);
    }

    @Test
    void theEndOfTheInputLetsGoOfWhoeverWaitsAndAnswersThem() throws Exception {
        int waiting = wire.begin("tools/call", named("wait"));
        methods.begun.await();
        wire.end();
        assertThat(wire.next().number("id")).isEqualTo(waiting);
        assertThat(methods.unsent).hasValue(0);
    }

    @Test
    void anAnswerThatNobodyTakesIsUndone() throws Exception {
        wire.begin("tools/call", named("wait"));
        methods.begun.await();
        wire.stopListening();
        methods.gate.countDown();
        wire.end();
        await().until(() -> methods.unsent.get() == 1);
    }

    @Test
    void aLineWithoutItsEndIsNoMessage() throws Exception {
        wire.send(
                McpText.request(1, "ping", Json.obj()).toString().getBytes(StandardCharsets.UTF_8));
        wire.end();
        assertThat(wire.isSilent()).isTrue();
    }
}
