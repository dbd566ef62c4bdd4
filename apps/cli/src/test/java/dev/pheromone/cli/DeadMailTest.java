package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/// What is said of mail that no inbox takes, here because it is dated more than a day ahead of the
/// time at which it came.
final class DeadMailTest {

    @TempDir private Path folder;
    private Session session;
    private String id;

    @BeforeEach
    void sendFromTheFuture() throws IOException {
        session = new Session(folder.toRealPath());
        assertThat(session.rsm("init").exit()).isZero();
        session.later(Duration.ofDays(2));
        Session.Result sent =
                session.rsm("send", "--to", "code", "--create", "--ttl", "7d", "hello", "--json");
        id = AnswerSchemas.field(sent.out(), "id");
    }

    private void assertTooFarAhead() {
        Session.Result verified = session.rsm("verify", id);
        assertThat(verified.exit()).as(verified.out() + verified.err()).isEqualTo(5);
        assertThat(verified.out()).contains("ts: found ", "more than a day ahead");
    }

    @Test
    void verifyCountsFromTheTimeAtWhichMailWasFirstSeenAsSelectDoes() {
        session.later(Duration.ofDays(3));
        assertTooFarAhead();

        assertThat(session.rsm("select", "code").exit()).isEqualTo(4);
        assertTooFarAhead();
    }

    @Test
    void theArchiveSaysWhyMailIsDead() {
        assertThat(session.rsm("select", "code").exit()).isEqualTo(4);

        assertThat(session.rsm("archive").out())
                .contains("WHY", "dead", "ts: found ", "more than a day ahead");
        assertThat(session.rsm("archive", "--json").out())
                .contains("\"reason\":\"ts: found ")
                .contains("more than a day ahead\"");
    }
}
