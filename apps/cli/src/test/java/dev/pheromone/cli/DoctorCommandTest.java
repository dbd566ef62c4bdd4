package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/// What a doctor says who may not look.
class DoctorCommandTest extends OneHive {

    @Test
    void aFrozenHiveIsNotCalledHealthy() throws IOException {
        session.rsm("lock", "hive");
        Path mirrored = session.cwd.resolve(".embargo/telemetry/rse.jsonl");
        assertThat(mirrored)
                .satisfiesAnyOf(
                        log -> assertThat(log).doesNotExist(),
                        log -> assertThat(log).content().doesNotContain("policy_guard"));

        Session.Result result = session.rsm("doctor");

        assertThat(result.exit()).isEqualTo(3);
        assertThat(result.out()).doesNotContain("nothing is wrong");
        assertThat(result.err()).contains("rsm: the hive was frozen", "a person ends the freeze");
        assertThat(
                        Files.readAllLines(mirrored).stream()
                                .filter(line -> line.contains("policy_guard")))
                .hasSize(1);
        session.rsm("unlock", "hive", "--by", "me");
        session.later(Duration.ofSeconds(1));
        assertThat(session.rsm("doctor").exit()).isZero();
    }
}
