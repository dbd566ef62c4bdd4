package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.text.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

class DryRunTest {

    @TempDir Path folder;

    /// Over more than one due turn, in which the order is another.
    @Test
    void selectTakesWhatItsDryRunShowed() throws Exception {
        Session session = hive();
        for (String mail :
                List.of("P0 7d", "P3 1h", "P1 1d", "P3 2h", "P2 10m", "P0 3d", "P1 1h")) {
            String[] words = mail.split(" ", -1);
            session.rsm("send", "--to", "code", "--priority", words[0], "--ttl", words[1], mail);
        }
        for (int pick = 1; pick <= 7; pick++) {
            Json.Obj shown = json(session.rsm("select", "--dry-run", "--json", "code"));
            Json.Obj taken = json(session.rsm("select", "--json", "code"));
            assertThat(shown.text("id")).as("pick " + pick).isEqualTo(taken.text("id"));
            assertThat(shown.text("rationale")).isEqualTo(taken.text("rationale"));
        }
    }

    @Test
    void dryRunPassesOverWhatWouldNotBeDelivered() throws Exception {
        Session session = hive();
        session.rsm("send", "--to", "docs", "--priority", "P0", "for somebody else");
        session.rsm("send", "--to", "code", "for you");
        Path inboxes = session.cwd.resolve(".deia/inbox");
        try (var files = Files.newDirectoryStream(inboxes.resolve("docs"), "*.md")) {
            Path misplaced = files.iterator().next();
            Files.move(misplaced, inboxes.resolve("code").resolve(misplaced.getFileName()));
        }

        assertThat(session.rsm("select", "--dry-run", "code").out()).startsWith("for you\n");
        assertThat(session.rsm("inbox", "code").out()).contains("2 waiting");
    }

    /// What a process gave back when it was killed is taken at once, and so it is shown.
    @Test
    void dryRunAndInboxShowWhatCameBackJustNow() throws Exception {
        Session session = hive();
        session.rsm("send", "--to", "code", "for you");
        String claim = session.rsm("select", "-q", "code").out().strip();
        Path active = session.cwd.resolve(".deia/active/code");
        Path returning = Files.createDirectories(active.resolve(".return"));
        Files.move(active.resolve(claim + ".md"), returning.resolve(claim + ".released.md"));
        session.later(Duration.ofMinutes(2));

        assertThat(session.rsm("select", "--dry-run", "code").out()).startsWith("for you\n");
        assertThat(session.rsm("inbox", "code").out()).contains("1 waiting, 0 active");
    }

    private Session hive() throws Exception {
        Session session = new Session(folder.toRealPath());
        assertThat(session.rsm("init").exit()).isZero();
        return session;
    }

    private static Json.Obj json(Session.Result result) throws Exception {
        assertThat(result.exit()).as(result.out()).isZero();
        return (Json.Obj) Json.parse(result.out());
    }
}
