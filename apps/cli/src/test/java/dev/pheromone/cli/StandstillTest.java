package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.text.Json;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;

/// A freeze is a state: commands say who set it, since when, why, what waits and how it ends, and
/// none of them speaks of an error or of a file that was met by chance.
final class StandstillTest {

    @TempDir Path folder;
    private Session session;
    private String claim;

    @BeforeEach
    void aHiveIsFrozenForAnHour() throws Exception {
        session = new Session(folder.toRealPath());
        rsm("init");
        rsm("send --to code hello");
        claim = AnswerSchemas.field(rsm("select code --json").out(), "claim");
        assertThat(rsm("lock hive --actor alice --reason release").exit()).isZero();
        session.later(Duration.ofMinutes(61));
    }

    private Session.Result rsm(String line) {
        return session.rsm(Arrays.asList(line.split(" ", -1)), "");
    }

    @ParameterizedTest
    @ValueSource(strings = {"status", "inbox", "log", "sense", "archive", "select code", "doctor"})
    void everyCommandSaysWhoFrozeItSinceWhenWhyAndHowItEnds(String line) {
        rsm("send --to code meanwhile");

        Session.Result result = rsm(line);

        assertThat(result.exit()).isEqualTo(3);
        assertThat(result.out() + result.err())
                .contains("the hive was frozen 1h ago by alice: release")
                .contains(
                        "1 message waits in the embargo; a person ends the freeze with rsm unlock"
                                + " hive --release")
                .doesNotContain("error", "hive.yaml", "do-not-erase");
    }

    @Test
    void statusShowsTheFreezeAsItsResult() {
        assertThat(rsm("status").out())
                .startsWith("the hive was frozen 1h ago by alice: release\n");
        assertThat(rsm("status").err()).isEmpty();
        assertThat(rsm("status --line").out()).isEqualTo("frozen\n");
    }

    @Test
    void outcomeThatIsKeptIsNotAnError() throws Exception {
        Session.Result result = rsm("ack " + claim + " done merged");

        assertThat(result.exit()).isEqualTo(3);
        assertThat(result.err())
                .startsWith("rsm: kept: the outcome waits in .embargo/outcome/")
                .contains("do not repeat it", "the hive was frozen 1h ago by alice: release")
                .doesNotContain("error", "hive.yaml");
        Json.Obj json = (Json.Obj) Json.parse(rsm("ack " + claim + " done merged --json").out());
        assertThat(json.toString())
                .contains("\"ok\":false", "\"code\":\"withheld\"", "\"exit\":3", "\"kept_in\":")
                .contains("\"freeze\":{\"reason\":\"release\",\"by\":\"alice\"", "\"outcomes\":1");
        assertThat(rsm("inbox").err()).contains("1 outcome waits in the embargo");
    }

    @Test
    void mailThatIsKeptIsNotAnError() {
        Session.Result result = rsm("send --to code meanwhile");

        assertThat(result.exit()).isEqualTo(3);
        assertThat(result.err())
                .startsWith(
                        "rsm: kept for queen://code, do not resend: the hive was frozen 1h ago by"
                                + " alice: release\n")
                .doesNotContain("error");
    }

    @Test
    void lockMadeByHandHasATimeAndNobodysName() throws Exception {
        rsm("unlock hive --by you");
        Files.writeString(
                session.cwd.resolve(".deia/ROTG-2-RESPECT-DO-NOT-ERASE.lock"),
                "audit\nplease wait\n");

        assertThat(rsm("inbox").err()).startsWith("rsm: the hive was frozen 1h ago: audit\n");
    }
}
