package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.address.Domain;
import dev.pheromone.envelope.EnvelopeId;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
}
