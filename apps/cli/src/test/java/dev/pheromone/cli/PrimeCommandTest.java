package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.text.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/// What an agent must know stays small, however large a hive is.
final class PrimeCommandTest {
    private static final double CHARACTERS_PER_TOKEN = 3.2;
    private static final int TOKENS_MAX = 250;

    @TempDir private Path folder;

    @Test
    void staysWithinItsTokensInALargeHiveWithLongNames() throws Exception {
        Session session = new Session(folder.toRealPath());
        session.rsm("init");
        for (int i = 0; i < 60; i++) {
            String name = "team-%02d-".formatted(i) + "x".repeat(50);
            Files.createDirectories(session.cwd.resolve(".deia/inbox").resolve(name));
            session.rsm("lock", "dnr", "secret-%02d-%s/**".formatted(i, "y".repeat(100)));
        }
        String actor = "claude-" + "z".repeat(50);
        Session.Result result = session.rsm("prime", "--actor", actor);

        assertThat(result.exit()).isZero();
        assertThat(result.out()).contains("rsm select", "rsm send", "rsm check", " more\n");
        assertThat(result.out().length() / CHARACTERS_PER_TOKEN).isLessThanOrEqualTo(TOKENS_MAX);
    }

    @Test
    void everyCommandThatParsesIsDescribed() throws Exception {
        Session session = new Session(folder.toRealPath());
        Session.Result result = session.rsm("describe", "--json");
        Json.Obj described = (Json.Obj) Json.parse(result.out().getBytes(StandardCharsets.UTF_8));

        assertThat(result.exit()).isZero();
        for (String name : Verbs.NAMES) {
            assertThat(described.get("commands").orElseThrow().toString())
                    .contains("{\"name\":\"" + name + "\"");
        }
    }
}
