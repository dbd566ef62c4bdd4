package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.Test;

import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;

class CliExceptionTest {

    @Test
    void onlyAHivesFilesAreBetterServed() {
        assertThat(CliException.of(new AccessDeniedException("/r/.deia/hive.yaml")).hintLine())
                .contains("rsm serve");
        assertThat(CliException.of(new AccessDeniedException("/r/notes.md")).hintLine()).isNull();
        assertThat(CliException.of(new NoSuchFileException("/r/.deia/hive.yaml")).hintLine())
                .isNull();
    }

    @Test
    void theHintIsTheWordsAndThenTheCommand() {
        assertThat(new CliException(ErrorCode.IO, "x").hintLine()).isNull();
        assertThat(new CliException(ErrorCode.IO, "x").fix("rsm status").hintLine())
                .isEqualTo("rsm status");
        assertThat(new CliException(ErrorCode.IO, "x").hint("look").fix("rsm status").hintLine())
                .isEqualTo("look  rsm status");
    }

    @Test
    void whatWasDoneBeforeItFailedStandsBesideTheError() {
        CliException failure =
                new CliException(ErrorCode.IO, "half")
                        .retryAfter(Duration.ofSeconds(30))
                        .detail("id", Json.of("01J"));
        assertThat(failure.json().toString())
                .isEqualTo(
                        "{\"ok\":false,\"error\":{\"code\":\"io\",\"exit\":1,\"message\":\"half\",\"hint\":null,"
                            + "\"fix\":null,\"retry\":true,\"retry_after_s\":30},\"id\":\"01J\"}");
    }
}
