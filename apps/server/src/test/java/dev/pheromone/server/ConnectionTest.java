package dev.pheromone.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What HTTP asks of a connection.
final class ConnectionTest {

    private static final String AUTHORIZED =
            "Host: localhost\r\nAuthorization: Bearer " + ServedHive.TOKEN + "\r\n";

    private static final String LAST = AUTHORIZED + "Connection: close\r\n";

    private static final String LAST_REQUEST = "GET /healthz HTTP/1.1\r\n" + LAST + "\r\n";

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

    private RawHttp.Answer call(String request) throws IOException {
        return RawHttp.call(hive.endpoint.address().getPort(), request);
    }

    @Test
    void requestsThatComeAtOnceAreAnsweredInTurn() throws IOException {
        String text =
                call("GET /healthz HTTP/1.1\r\n"
                                + AUTHORIZED
                                + "Content-Length: 3\r\n\r\nabc"
                                + "GET /nowhere HTTP/1.1\r\n"
                                + AUTHORIZED
                                + "Transfer-Encoding: chunked\r\n\r\n"
                                + "3;x=y\r\n"
                                + "abc\r\n"
                                + "0\r\n"
                                + "A: b\r\n\r\n"
                                + "HEAD /healthz HTTP/1.1\r\n"
                                + LAST
                                + "\r\nGET /healthz HTTP/1.1\r\n"
                                + LAST
                                + "\r\n")
                        .text();
        assertThat(text.split("HTTP/1.1 (?=[0-9])", -1)).hasSize(4);
        assertThat(text.indexOf("HTTP/1.1 200")).isZero();
        assertThat(text.indexOf("HTTP/1.1 404")).isPositive();
        assertThat(text).endsWith("\r\n\r\n");
    }

    @Test
    void whoAsksWhetherToSendABodyIsToldToOrAnswered() throws IOException {
        String ask =
                "Content-Type: application/json\r\nContent-Length: 2\r\n"
                        + "Expect: 100-continue\r\n\r\n";
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), hive.endpoint.address().getPort())) {
            socket.setSoTimeout((int) ServedHive.PATIENCE.toMillis());
            byte[] head =
                    ("POST /v1/inboxes/code/select HTTP/1.1\r\n" + LAST + ask)
                            .getBytes(StandardCharsets.US_ASCII);
            socket.getOutputStream().write(head);
            byte[] told =
                    socket.getInputStream().readNBytes("HTTP/1.1 100 Continue\r\n\r\n".length());
            assertThat(new String(told, StandardCharsets.US_ASCII)).contains(" 100 Continue");
            socket.getOutputStream().write(new byte[] {'{', '}'});
            assertThat(RawHttp.read(socket)).startsWith("HTTP/1.1 422");
        }
        RawHttp.Answer refused =
                call("POST /v1/inboxes/code/select HTTP/1.1\r\nHost: localhost\r\n" + ask);
        assertThat(refused.status()).isEqualTo(401);
        assertThat(refused.text()).contains("Connection: close");
    }

    @Test
    void olderClientsAreAnsweredUpToTheEnd() throws IOException {
        RawHttp.Answer answer = call("GET /v1/inboxes HTTP/1.0\r\n" + AUTHORIZED + "\r\n");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.text()).doesNotContain("chunked");
        assertThat(answer.body()).startsWith("{\"ok\":true");
    }

    /// A `~` stands for the end of a line, a `_` for a blank, a `^` for a line feed alone, a `$`
    /// for the headers of every request.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    GET /healthz HTTP/1.1~$Content-Length: 5~Transfer-Encoding: chunked~~0~~ | 400
                    GET /healthz HTTP/1.1~$Transfer-Encoding: chunked~Content-Length: 5~~0~~ | 400
                    GET /healthz HTTP/1.1~$Content-Length: 1~Content-Length: 1~~x | 400
                    GET /healthz HTTP/1.1~$Content-Length: 1, 1~~x | 400
                    GET /healthz HTTP/1.1~$Content-Length: +1~~x | 400
                    GET /healthz HTTP/1.1~$Content-Length: 99999999999999999999~~x | 400
                    GET /healthz HTTP/1.1~$Content-Length_: 1~~x | 400
                    GET /healthz HTTP/1.1^$~ | 400
                    GET /healthz HTTP/1.1~$X: y^~ | 400
                    GET /healthz HTTP/1.1~$X: y~_folded~~ | 400
                    GET /healthz HTTP/1.1~$X~~ | 400
                    GET /healthz HTTP/1.1~$X: \0~~ | 400
                    GET /heal\0thz HTTP/1.1~$~ | 400
                    GET http://elsewhere.example/healthz HTTP/1.1~$~ | 400
                    GET http://ada@localhost/healthz HTTP/1.1~$~ | 400
                    GET /healthz HTTP/1.1~$Transfer-Encoding: chunked~Transfer-Encoding: chunked~~0~~ | 400
                    GET /healthz HTTP/1.1~$Transfer-Encoding: chunked, identity~~0~~ | 400
                    GET /healthz HTTP/1.1~$Transfer-Encoding: gzip, chunked~~0~~ | 501
                    GET /healthz HTTP/1.0~$Connection: keep-alive~Transfer-Encoding: chunked~~0~~ | 501
                    GET /healthz HTTP/1.2~$~ | 505
                    GET /healthz HTTP/2.0~$~ | 426
                    GET /healthz~ | 505
                    """)
    void whatCouldBeReadInTwoWaysIsRefused(String request, int status) throws IOException {
        RawHttp.Answer answer = call(typed(request) + LAST_REQUEST);
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.text())
                .contains("application/problem+json")
                .contains("Connection: close");
        assertThat(answers(answer)).isEqualTo(1);
    }

    /// Each body ends where the next request begins, or nothing after it is taken for one.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    1;a=b~x~0;c~~ | 2
                    1~x~0~A: b~Host: evil.example~~ | 2
                    1^x~0~~ | 1
                    1;a^x~0~~ | 1
                    1~x^0~~ | 1
                    1~xyz~0~~ | 1
                    -1~x~0~~ | 1
                    0x1~x~0~~ | 1
                    ffffffffffffffff0~x~0~~ | 1
                    80000000~x~0~~ | 1
                    """)
    void aChunkedBodyHasOneEnd(String chunks, int count) throws IOException {
        RawHttp.Answer answer =
                call(
                        typed("GET /healthz HTTP/1.1~$Transfer-Encoding: chunked~~" + chunks)
                                + LAST_REQUEST);
        assertThat(answers(answer)).isEqualTo(count);
    }

    private static String typed(String request) {
        return request.strip()
                .replace("~", "\r\n")
                .replace("^", "\n")
                .replace("_", " ")
                .replace("\\0", "\0")
                .replace("$", AUTHORIZED);
    }

    /// How many requests were answered.
    private static int answers(RawHttp.Answer answer) {
        return answer.text().split("HTTP/1.1 (?=[0-9])", -1).length - 1;
    }

    @Test
    void aLongHeadIsRefused() throws IOException {
        RawHttp.Answer answer =
                call("GET / HTTP/1.1\r\n" + AUTHORIZED + "X: " + "y".repeat(40_000) + "\r\n\r\n");
        assertThat(answer.status()).isEqualTo(431);
        assertThat(answer.text()).contains("application/problem+json");
    }

    @Test
    void aHeadTellsTheLengthIfItIsKnown() throws IOException {
        String get = call("GET /v1/inboxes HTTP/1.1\r\n" + LAST + "\r\n").text();
        Matcher length = Pattern.compile("Content-Length: [0-9]+").matcher(get);
        assertThat(length.find()).isTrue();
        assertThat(call("HEAD /v1/inboxes HTTP/1.1\r\n" + LAST + "\r\n").text())
                .contains(length.group())
                .endsWith("\r\n\r\n");
        assertThat(call("HEAD /rse/sse HTTP/1.1\r\n" + LAST + "\r\n").text())
                .startsWith("HTTP/1.1 200")
                .doesNotContain("Content-Length");
    }

    @Test
    void whoIsStillSendingWhatNobodyWantsGetsTheAnswer() throws IOException {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), hive.endpoint.address().getPort())) {
            socket.setSoTimeout((int) ServedHive.PATIENCE.toMillis());
            byte[] part = new byte[64 * 1024];
            int parts = 64;
            String head =
                    "POST /v1/envelopes HTTP/1.1\r\n"
                            + AUTHORIZED
                            + "Content-Type: text/markdown\r\nContent-Length: "
                            + parts * part.length
                            + "\r\n\r\n";
            OutputStream out = socket.getOutputStream();
            out.write(head.getBytes(StandardCharsets.US_ASCII));
            // Nothing of the answer is read before all is sent: a reset would lose it.
            for (int i = 0; i < parts; i++) {
                out.write(part);
            }
            String answer = RawHttp.read(socket);
            assertThat(answer).startsWith("HTTP/1.1 413").contains("Connection: close\r\n");
        }
    }
}
