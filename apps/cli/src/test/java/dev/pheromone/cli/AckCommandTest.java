package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.address.Domain;
import dev.pheromone.envelope.EnvelopeId;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;

class AckCommandTest {

    @TempDir Path folder;

    /// A worker that answered and died leaves its answer, and the next one says it in other words.
    @Test
    void workIsDoneThoughAnEarlierAttemptHasAnsweredIt() throws Exception {
        Session you = new Session(folder);
        assertThat(you.rsm("init").exit()).isZero();
        String task = you.rsm("send", "-q", "--to", "code", "try this").out().strip();
        EnvelopeId answer = EnvelopeId.ofReply(EnvelopeId.parse(task), Domain.parse("code"));
        assertThat(you.rsm("reply", task, "--id", answer.text(), "it went").exit()).isZero();

        String claim = you.rsm("select", "-q", "code").out().strip();
        Session.Result done = you.rsm("ack", claim, "done", "--reply", "done", "--json");
        assertThat(done.exit()).isZero();
        assertThat(done.out())
                .contains("\"state\":\"done\"")
                .contains("an earlier attempt has answered already, and that answer stands");
        assertThat(new AnswerSchemas().problems("ack", done.out())).isEmpty();
        assertThat(you.rsm("read", "-q", answer.text()).out()).isEqualTo("it went\n");
    }

    /// Whoever can write to some inbox could otherwise have answers sent to themselves.
    @Test
    void theAnswerIsToTheCopyThatWasClaimed() throws Exception {
        Session you = new Session(folder);
        assertThat(you.rsm("init").exit()).isZero();
        String task = you.rsm("send", "-q", "--to", "code", "try this").out().strip();
        String claim = you.rsm("select", "-q", "code").out().strip();
        Session.Result other =
                you.rsm("send", "--to", "docs", "--id", task, "--reply-to", "ops", "other");
        assertThat(other.exit()).isZero();
        assertThat(you.rsm("read", "-q", claim).out()).isEqualTo("try this\n");

        Session.Result done = you.rsm("ack", claim, "done", "--reply", "done", "--json");
        assertThat(done.out()).contains("\"address\":\"user://you\"");
    }

    /// The answer that ends the work has one id however often it is sent; a report on the way has a
    /// new one each time.
    @Test
    void onlyTheLastAnswerIsSaidToBeSentOnce() throws Exception {
        Session you = new Session(folder);
        assertThat(you.rsm("init").exit()).isZero();
        you.rsm("send", "-q", "--to", "code", "--reply-to", "ops", "try this");
        String claim = you.rsm("select", "-q", "code").out().strip();
        Files.writeString(
                you.cwd.resolve(".deia/hive.yaml"), "backpressure: {depth: 1, oldest_age: 10m}\n");
        you.rsm("send", "--to", "ops", "the room is taken");
        you.rsm("send", "--to", "ops", "all of it");

        Session.Result report = you.rsm("ack", claim, "accepted", "--reply", "on it");
        assertThat(report.exit()).as("%s", report).isEqualTo(75);
        assertThat(report.err()).contains("hint: to try again:  rsm ack " + claim + " accepted");
        Session.Result done = you.rsm("ack", claim, "done", "--reply", "done");
        assertThat(done.exit()).as("%s", done).isEqualTo(75);
        assertThat(done.err())
                .contains("hint: to try again without sending twice:  rsm ack " + claim + " done")
                .doesNotContain("--id");
    }
}
