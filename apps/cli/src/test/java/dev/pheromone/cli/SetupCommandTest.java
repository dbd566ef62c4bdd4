package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.cli.frame.Terminal;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// At a terminal the changes are shown, and a person says yes or no.
final class SetupCommandTest {

    @TempDir private Path folder;
    private Session session;
    private Path settings;

    @BeforeEach
    void sit() throws IOException {
        session = new Session(folder.toRealPath());
        session.rsm("init");
        session.launcher = session.home.resolve("bin/rsm");
        session.terminal = new Terminal(true, false, false);
        settings = session.cwd.resolve(".claude/settings.json");
    }

    @Test
    void yesWritesWhatWasShown() {
        Session.Result result = session.rsm(List.of("setup", "claude"), "y\n");

        assertThat(result.exit()).isZero();
        assertThat(result.err()).contains("write this? [y/N] ");
        assertThat(result.out())
                .containsOnlyOnce("+++ .claude/settings.json")
                .contains("claude: changed ");
        assertThat(settings).content().contains("hook claude PreToolUse");
    }

    @Test
    void anythingElseWritesNothing() {
        for (String typed : List.of("n\n", "\n", "", "yep\n")) {
            Session.Result result = session.rsm(List.of("setup", "claude"), typed);

            assertThat(result.exit()).isEqualTo(2);
            assertThat(result.err()).contains("nothing was changed");
            assertThat(settings).doesNotExist();
        }
    }

    @Test
    void nobodyIsAskedWhereNothingChanges() {
        session.rsm(List.of("setup", "claude"), "y\n");

        assertThat(session.rsm("setup", "claude").exit()).isZero();
    }
}
