package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;

class StatusTest {

    @TempDir Path folder;

    /// What expired is shown to its sender, however much of others' expired after it.
    @Test
    void statusFiltersBySenderBeforeItCutsTheList() throws Exception {
        Session session = new Session(folder.toRealPath());
        session.rsm("init");
        session.rsm("--actor", "ada", "send", "--to", "code", "--ttl", "10s", "my own");
        session.later(Duration.ofSeconds(11));
        session.rsm("select", "code");
        for (int i = 0; i < 25; i++) {
            session.rsm("--actor", "ci-" + i, "send", "--to", "code", "--ttl", "10s", "another's");
        }
        session.later(Duration.ofSeconds(11));
        // Each selection archives only some of what is expired.
        session.rsm("select", "code");
        session.rsm("select", "code");

        Json.Obj archive = json(session.rsm("archive", "--state", "expired", "--json"));
        assertThat(archive.toString()).contains("my own", "another's");
        Json.Obj status = json(session.rsm("--actor", "ada", "status", "--json"));
        assertThat(String.valueOf(status.get("expired")))
                .contains("my own")
                .doesNotContain("another's");
    }

    private static Json.Obj json(Session.Result result) throws Exception {
        assertThat(result.exit()).as(result.out()).isZero();
        return (Json.Obj) Json.parse(result.out());
    }
}
