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

/// Something else in the place of a folder where locks lie: what it would say is unclear, so that
/// everything it could cover is locked.
final class LockUnclearTest {

    @TempDir private Path root;
    private HiveLayout layout;
    private LockFiles guard;

    @BeforeEach
    void makeHive() throws IOException {
        layout = new HiveLayout(root.toRealPath());
        Files.createDirectory(layout.hive());
        guard = new LockFiles(layout);
    }

    private boolean isLocked(Path path) {
        return guard.check(path, Access.READ) instanceof Verdict.Blocked;
    }

    private void lockHive() throws Exception {
        new Locksmith(layout, guard).lockHive("");
    }

    @Test
    void aFileInThePlaceOfAListFolderStaysUnclearUnderTheHivesLock() throws Exception {
        Files.createFile(layout.hive().resolve("do-not-read"));
        assertThat(isLocked(root.resolve("a.txt"))).isTrue();

        lockHive();

        assertThat(isLocked(root.resolve("a.txt"))).isTrue();
    }

    @Test
    void soDoesALinkToNowhere() throws Exception {
        Files.createSymbolicLink(layout.hive().resolve("do-not-erase"), Path.of("nowhere"));
        assertThat(isLocked(root.resolve("a.txt"))).isTrue();

        lockHive();

        assertThat(isLocked(root.resolve("a.txt"))).isTrue();
    }

    @Test
    void emptyListFoldersLeaveOtherFilesFree() throws Exception {
        Files.createDirectory(layout.hive().resolve("do-not-read"));

        lockHive();

        assertThat(isLocked(root.resolve("a.txt"))).isFalse();
    }

    @Test
    void aFileInThePlaceOfTheToolsFolderMayHideAGuard() throws IOException {
        Files.createFile(layout.hive().resolve("tools"));

        assertThat(isLocked(layout.log())).isTrue();
        assertThat(isLocked(root.resolve("a.txt"))).isFalse();
    }

    @Test
    void soMayALinkToNowhere() throws IOException {
        Path tools = Files.createSymbolicLink(layout.hive().resolve("tools"), Path.of("nowhere"));
        assertThat(isLocked(layout.log())).isTrue();

        Files.delete(tools);
        assertThat(isLocked(layout.log())).isFalse();
    }
}
