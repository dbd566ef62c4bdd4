package dev.pheromone.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.pheromone.address.Actor;
import dev.pheromone.server.Board.Ran;
import dev.pheromone.testkit.FakeClock;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/// Many boards at a hive that takes its time.
@Timeout(60)
final class BoardLooksTest {

    private static final List<String> STATUS = List.of("status", "--json");

    @TempDir Path root;
    private FixtureBoard board;
    private final CountDownLatch go = new CountDownLatch(1);
    private BoardLooks looks;

    @BeforeEach
    void slowHive() {
        board = new FixtureBoard(root, new FakeClock(Instant.EPOCH));
        board.program =
                _ -> {
                    try {
                        go.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return new Ran(0, "{}");
                };
        looks = new BoardLooks(board, ServedHive.PATIENCE);
    }

    @AfterEach
    void close() {
        go.countDown();
        looks.close();
    }

    @Test
    void equalLooksShareOneRun() throws Exception {
        List<Thread> boards = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            boards.add(
                    Thread.ofPlatform()
                            .start(() -> {
                                Ran _ = looks.look(FixtureBoard.ADA, STATUS);
                            }));
        }
        await().atMost(ServedHive.PATIENCE)
                .until(() ->
                        boards.stream()
                                .allMatch(one -> one.getState() == Thread.State.TIMED_WAITING));
        assertThat(board.asked).hasSize(1);
        go.countDown();
        for (Thread one : boards) {
            assertThat(one.join(ServedHive.PATIENCE)).isTrue();
        }
        assertThat(board.asked).hasSize(1);
    }

    @Test
    void anotherActorsLookIsAnother() {
        go.countDown();
        Ran _ = looks.look(FixtureBoard.ADA, STATUS);
        Ran _ = looks.look(Actor.parse("bob"), STATUS);
        assertThat(board.asked).hasSize(2);
    }

    @Test
    void aSlowLookKeepsNobodyWaitingAndIsRunOnce() {
        try (BoardLooks impatient = new BoardLooks(board, Duration.ofMillis(20))) {
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> impatient.look(FixtureBoard.ADA, STATUS))
                        .isInstanceOfSatisfying(
                                ProblemException.class,
                                e -> {
                                    assertThat(e.problem().status()).isEqualTo(503);
                                    assertThat(e.problem().code()).isEqualTo("slow");
                                });
            }
            assertThat(board.asked).hasSize(1);
            go.countDown();
        }
    }
}
