package dev.pheromone.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.disk.HiveLayout;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Verdict;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// A hard link to a locked file is as locked as the file.
final class LinkedNamesTest {

    @TempDir private Path folder;
    private HiveLayout layout;
    private LockFiles guard;

    @BeforeEach
    void lockTheVault() throws IOException {
        layout = new HiveLayout(folder.toRealPath());
        Files.createDirectories(layout.hive().resolve("do-not-read"));
        Files.writeString(
                layout.hive().resolve("do-not-read/vault.yaml"), "- vault\n- '**/*.pem'\n");
        Files.createDirectories(layout.root().resolve("vault/deep"));
        Files.createDirectories(layout.root().resolve("src"));
        Files.writeString(layout.root().resolve("vault/deep/key"), "secret");
        Files.writeString(layout.root().resolve("src/a.pem"), "secret");
        Files.writeString(layout.root().resolve("src/plain"), "plain");
        guard = new LockFiles(layout);
    }

    private Verdict read(String name) {
        return guard.check(layout.root().resolve(name), Access.READ);
    }

    private void link(String name, String existing) throws IOException {
        Files.createLink(layout.root().resolve(name), layout.root().resolve(existing));
    }

    @Test
    void secondNameOfALockedFileIsLocked() throws IOException {
        link("innocent", "vault/deep/key");
        link("src/b.txt", "src/a.pem");

        assertThat(read("innocent")).isInstanceOf(Verdict.Blocked.class);
        assertThat(read("src/b.txt")).isInstanceOf(Verdict.Blocked.class);
    }

    @Test
    void secondNameOutsideTheRootIsLockedToo(@TempDir Path elsewhere) throws IOException {
        Path outside = Files.createLink(elsewhere.resolve("x"), layout.root().resolve("src/a.pem"));

        assertThat(guard.check(outside, Access.READ)).isInstanceOf(Verdict.Blocked.class);
    }

    @Test
    void symbolicLinkToASecondNameIsLocked() throws IOException {
        link("innocent", "vault/deep/key");
        Files.createSymbolicLink(layout.root().resolve("soft"), Path.of("innocent"));

        assertThat(read("soft")).isInstanceOf(Verdict.Blocked.class);
    }

    @Test
    void twoNamesOfAFreeFileAreFree() throws IOException {
        link("other", "src/plain");

        assertThat(read("other")).isEqualTo(Verdict.ALLOWED);
        assertThat(read("src/plain")).isEqualTo(Verdict.ALLOWED);
    }
}
