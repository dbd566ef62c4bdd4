package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.cli.frame.Surroundings;
import dev.pheromone.cli.frame.Terminal;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;

class RsmTest {

    @TempDir Path folder;

    private Session session;

    @BeforeEach
    void begin() {
        session = new Session(folder);
    }

    @Test
    void jsonIsExactlyOneObjectAlsoForErrors() throws Exception {
        Session.Result result = session.rsm("hepl", "--json");
        assertThat(result.err()).isEmpty();
        assertThat(result.out()).endsWith("}\n").hasLineCount(1);
        Json.Obj answer = (Json.Obj) Json.parse(result.out().strip());
        assertThat(answer.flag("ok")).isFalse();
        assertThat(answer.object("error").names())
                .containsExactly(
                        "code", "exit", "message", "hint", "fix", "retry", "retry_after_s");
        assertThat(answer.object("error").number("exit")).isEqualTo(2).isEqualTo(result.exit());
    }

    @Test
    void jsonAfterTheEndOfOptionsIsAWordAndNoWish() {
        assertThat(session.rsm("help", "--", "--json").err())
                .contains("unknown command \"--json\"");
    }

    @Test
    void aReaderThatLeavesEndsTheCommandQuietly() {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exit =
                new Rsm(session.surroundings("", new FailingStream("Broken pipe"), err))
                        .run(List.of("help", "all"));
        assertThat(exit).isZero();
        assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    @Test
    void aFullDiskUnderTheOutputIsAnError() {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exit =
                new Rsm(session.surroundings("", new FailingStream("No space left on device"), err))
                        .run(List.of("help", "all"));
        assertThat(exit).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .isEqualTo("rsm: error: standard output: No space left on device\n");
    }

    @Test
    void nobodyListeningOnStandardErrorDoesNotChangeTheExit() {
        OutputStream out = OutputStream.nullOutputStream();
        assertThat(
                        new Rsm(session.surroundings("", out, new FailingStream("Broken pipe")))
                                .run(List.of("hepl")))
                .isEqualTo(2);
    }

    @Test
    void aDefectIsReportedWithoutAStackTrace() {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        assertThat(
                        new Rsm(session.surroundings("", new Defective(), err))
                                .run(List.of("completion", "bash")))
                .isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .isEqualTo(
                        """
                        rsm: error: internal error: java.lang.IllegalStateException: boom
                        rsm: hint: this is a defect of rsm; to see where:  RSM_DEBUG=1 rsm completion bash
                        """);
    }

    @Test
    void debuggingShowsWhere() {
        session.env.put("RSM_DEBUG", "1");
        assertThat(session.rsm("hepl").err())
                .contains("\tat dev.pheromone.cli.")
                .contains("rsm: error: unknown");
    }

    @Test
    void bytesThatAreNoTextAreNotSent() {
        assertThat(session.rsm("init").exit()).isZero();
        Surroundings binary =
                new Surroundings(
                        session.env,
                        session.cwd,
                        session.home,
                        "you",
                        new ByteArrayInputStream(new byte[] {'a', (byte) 0xff, 'b'}),
                        OutputStream.nullOutputStream(),
                        OutputStream.nullOutputStream(),
                        InstantSource.system(),
                        Terminal.NONE,
                        null);
        assertThat(new Rsm(binary).run(List.of("send", "--to", "code", "-"))).isEqualTo(2);
        assertThat(session.rsm("inbox", "code", "-q").out()).isEmpty();
    }

    @Test
    void foreignTextInMessagesIsEscaped() {
        assertThat(session.rsm("\u001b[2Jsend").err()).contains("unknown command \"\\e[2Jsend\"");
    }

    /// A stream that fails as only a defect can.
    private static final class Defective extends OutputStream {
        private boolean failed;

        @Override
        public void write(int b) {
            if (!failed) {
                failed = true;
                throw new IllegalStateException("boom");
            }
        }
    }
}
