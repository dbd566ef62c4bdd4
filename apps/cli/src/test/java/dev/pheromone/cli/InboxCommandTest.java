package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;

/// The order in which waiting mail is shown, as it would be taken.
class InboxCommandTest extends OneHive {

    private String fail(int times, String topic) {
        String id = session.rsm("send", "--to", "code", topic, "-q").out().strip();
        for (int attempt = 1; attempt <= times; attempt++) {
            session.later(Duration.ofMinutes(30));
            String claim = session.rsm("select", "code", "-q").out().strip();
            assertThat(claim).startsWith(id);
            assertThat(session.rsm("ack", claim, "error", "no").exit()).isZero();
        }
        return id;
    }

    @Test
    void pausedMailIsShownByTheEndOfItsPauseAndSaysHowLong() throws IOException {
        String flaky = fail(3, "fails and fails");
        String once = session.rsm("send", "--to", "code", "failed once", "-q").out().strip();
        String claim = session.rsm("select", "code", "-q").out().strip();
        assertThat(session.rsm("ack", claim, "error", "no").exit()).isZero();

        assertThat(session.rsm("inbox", "code", "-q").out()).isEqualTo(once + "\n" + flaky + "\n");
        assertThat(session.rsm("inbox", "code").out())
                .containsPattern("failed once .* 2 in \\d+s ")
                .containsPattern("fails and fails .* 4 in \\d+");
        session.later(Duration.ofMinutes(30));
        assertThat(session.rsm("inbox", "code").out()).containsPattern("failed once .* 2 +no");
    }
}
