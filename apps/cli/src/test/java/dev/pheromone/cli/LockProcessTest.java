package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/// One process locks and unlocks the hive while others send: all mail arrives, once, and whoever
/// met the lock was told so.
class LockProcessTest {

    private static final int SENDS = 8;

    @TempDir Path folder;

    private int run(String... words) throws Exception {
        try (RsmProcess rsm = RsmProcess.start(folder, words)) {
            return rsm.exit();
        }
    }

    @Test
    void mailSentBeforeDuringAndAfterALockArrivesOnce() throws Exception {
        assertThat(run("init")).isZero();
        CompletableFuture<List<Integer>> exits =
                CompletableFuture.supplyAsync(() -> {
                    List<Integer> all = new ArrayList<>();
                    for (int i = 0; i < SENDS; i++) {
                        try {
                            all.add(run("send", "--to", "code", "mail " + i));
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    }
                    return all;
                });
        assertThat(run("lock", "hive", "--reason", "freeze")).isZero();
        // At least one meets the lock, whatever the others do.
        assertThat(run("send", "--to", "code", "under the lock")).isEqualTo(3);
        assertThat(run("unlock", "hive", "--release", "--by", "you")).isZero();

        assertThat(exits.join()).hasSize(SENDS).allMatch(exit -> exit == 0 || exit == 3);
        // What went to the embargo after the release began.
        assertThat(run("embargo", "release", "--yes", "--by", "you")).isZero();
        try (Stream<Path> mail = Files.list(folder.resolve(".deia/inbox/code"))) {
            assertThat(mail.filter(file -> file.toString().endsWith(".md"))).hasSize(SENDS + 1);
        }
        assertThat(run("audit")).isZero();
    }
}
