package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// What becomes of a claim, or of sent mail, that a command can't tell of.
class UnwrittenTest extends OneHive {

    private static final String FULL = "No space left on device";
    private static final String GONE = "Broken pipe";

    private Session.Result unwritten(String reason, String... words) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exit =
                new Rsm(session.surroundings("", new FailingStream(reason), err))
                        .run(List.of(words));
        return new Session.Result(exit, "", err.toString(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(strings = {FULL, GONE, "Bad file descriptor"})
    void aClaimIsGivenBack(String reason) {
        String id = session.rsm("send", "--to", "code", "please", "-q").out().strip();

        Session.Result result = unwritten(reason, "select", "code", "--json");

        assertThat(result.exit()).isEqualTo(1);
        assertThat(result.err())
                .isEqualTo(
                        "rsm: error: standard output: %s; %s was given back\n"
                                .formatted(reason, id));
        Session.Result again = session.rsm("select", "code", "--json");
        assertThat(again.exit()).isZero();
        assertThat(again.out()).contains("\"attempt\":1,");
    }

    @Test
    void sentMailIsNamedWithTheCommandThatDoesNotSendItTwice() {
        Session.Result result = unwritten(FULL, "send", "--to", "code", "please");

        String id = session.rsm("inbox", "code", "-q").out().strip();
        assertThat(result.exit()).isEqualTo(1);
        assertThat(result.err())
                .isEqualTo(
                        """
                        rsm: error: standard output: No space left on device; %s was sent all the same
                        rsm: hint: to be told what became of it, without sending it twice:  rsm send --to code please --id %s
                        """
                                .formatted(id, id));
        assertThat(session.rsm("send", "--to", "code", "please", "--id", id).out())
                .contains("already");
    }

    @Test
    void whoLeavesDidNotWantToKnowWhatWasSent() {
        Session.Result result = unwritten(GONE, "send", "--to", "code", "please");

        assertThat(result).isEqualTo(new Session.Result(0, "", ""));
        assertThat(session.rsm("inbox", "code", "-q").out()).hasLineCount(1);
    }

    @Test
    void aTakenSignalIsNamed() {
        session.rsm("drop", "main is red", "--lane", "Bugs");

        Session.Result result = unwritten(FULL, "sense", "--select", "--json");

        assertThat(result.exit()).isEqualTo(1);
        assertThat(result.err()).contains("\"main is red\" in Bugs is yours all the same");
    }

    @Test
    void aFailureThatCantBeWrittenAsJsonIsTold() {
        session.rsm("lock", "hive");

        Session.Result result = unwritten(FULL, "send", "--to", "code", "please", "--json");

        assertThat(result.exit()).isEqualTo(3);
        assertThat(result.err())
                .contains("rsm: kept for queen://code", "do not resend", ".embargo/inbox/");
    }

    @Test
    void aWorkerWhoseResultsCantBeWrittenFails() {
        session.rsm("send", "--to", "code", "please");

        Session.Result result = unwritten(FULL, "work", "code", "--once", "--json", "--", "true");

        assertThat(result.exit()).isEqualTo(1);
        assertThat(result.err())
                .isEqualTo("rsm: error: standard output: No space left on device\n");
    }
}
