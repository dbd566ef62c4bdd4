package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.session.mail.Composer;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Nothing of private mail is told where more people look than may read it.
final class PrivateMailTest {

    @TempDir Path folder;
    private Session session;

    @BeforeEach
    void init() throws IOException {
        session = new Session(folder.toRealPath());
        Files.createDirectories(session.home);
        assertThat(session.rsm("init").exit()).isZero();
    }

    private String log() throws IOException {
        return Files.readString(session.cwd.resolve(".deia/telemetry/rse.jsonl"));
    }

    private String send(String... words) {
        Session.Result sent = session.rsm(words);
        assertThat(sent.exit()).isZero();
        return sent.out().strip();
    }

    @Test
    void aPrivateBodyGivesNoTopic() throws IOException {
        Session.Result sent =
                session.rsm("send", "--to", "code", "--consent", "private", "the salary is 7");
        assertThat(sent.exit()).isZero();
        assertThat(sent.err()).contains("the topic is \"private mail\"", "--topic");
        assertThat(session.rsm("inbox", "code").out())
                .contains("private mail")
                .doesNotContain("salary");
        assertThat(log())
                .contains("\"topic\":\"private mail\"", "\"consent\":\"private\"")
                .doesNotContain("salary");
    }

    @Test
    void aTopicThatWasTypedStays() {
        String id =
                send(
                        "send",
                        "--to",
                        "code",
                        "--consent",
                        "private",
                        "--topic",
                        "pay",
                        "--quiet",
                        "the salary is 7");
        assertThat(session.rsm("read", id).out()).contains("pay");
    }

    @Test
    void anAnswerGoesAsFarAsWhatItAnswers() throws IOException {
        String id =
                send(
                        "send",
                        "--to",
                        "code",
                        "--consent",
                        "private",
                        "--topic",
                        "pay",
                        "--quiet",
                        "the salary is 7");
        String reply = send("reply", id, "--quiet", "--create", "8 would be better");
        assertThat(session.rsm("read", reply, "--raw").out())
                .contains("consent: private", "topic: \"Re: pay\"");

        String wider = send("reply", id, "--quiet", "--consent", "team", "it is done");
        assertThat(session.rsm("read", wider, "--raw").out())
                .contains("consent: team", Composer.OTHERS_TOPIC)
                .doesNotContain("pay");
    }

    @Test
    void everyEventOfMailSaysItsConsent() throws IOException {
        send("send", "--to", "code", "--quiet", "please review the parser");
        String claim = send("select", "--quiet", "code");
        assertThat(session.rsm("ack", claim, "accepted", "on it").exit()).isZero();
        assertThat(session.rsm("read", claim).exit()).isZero();
        assertThat(session.rsm("ack", claim, "error", "no").exit()).isZero();
        assertThat(log().lines()).allMatch(line -> line.contains("\"consent\":\"team\""));
        assertThat(session.rsm("log").out()).doesNotContain("consent");
    }
}
