package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Several who ask for a signal at once.
final class SenseSelectTest {

    private static final int FORAGERS = 8;
    private static final int SIGNALS = 5;

    @TempDir Path folder;

    @Test
    void noTwoTakeTheSame() throws Exception {
        Session first = new Session(folder.toRealPath());
        assertThat(first.rsm("init").exit()).isZero();
        for (int i = 0; i < SIGNALS; i++) {
            assertThat(first.rsm("drop", "signal " + i).exit()).isZero();
        }
        List<Callable<Session.Result>> foragers = new ArrayList<>();
        for (int i = 0; i < FORAGERS; i++) {
            Session session = new Session(folder.toRealPath());
            foragers.add(() -> session.rsm("sense", "--select", "-q"));
        }
        List<String> taken = new ArrayList<>();
        int empty = 0;
        try (ExecutorService threads = Executors.newFixedThreadPool(FORAGERS)) {
            for (Future<Session.Result> future : threads.invokeAll(foragers)) {
                Session.Result result = future.get();
                if (result.exit() == 0) {
                    taken.add(result.out().strip());
                } else {
                    assertThat(result.exit()).as(result.err()).isEqualTo(4);
                    empty++;
                }
            }
        }

        assertThat(taken).doesNotHaveDuplicates().hasSize(SIGNALS);
        assertThat(empty).isEqualTo(FORAGERS - SIGNALS);
    }
}
