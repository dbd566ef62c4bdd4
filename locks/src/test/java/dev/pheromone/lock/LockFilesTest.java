package dev.pheromone.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.LockKind;
import dev.pheromone.guard.Verdict;
import dev.pheromone.testkit.FakeClock;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/// A guard that was asked before, in a hive that has long been at rest: what it knows must not hide
/// a lock.
final class LockFilesTest {

    @TempDir private Path root;
    private HiveLayout layout;
    private LockFiles guard;

    @BeforeEach
    void askOnce() throws IOException {
        layout = new HiveLayout(root);
        Files.createDirectory(layout.hive());
        guard =
                new LockFiles(
                        new LocalDisk(),
                        layout,
                        new FakeClock(Instant.now().plus(Duration.ofHours(1))));
        assertThat(check()).isEqualTo(Verdict.ALLOWED);
        assertThat(check()).isEqualTo(Verdict.ALLOWED);
    }

    private Verdict check() {
        return guard.check(layout.log(), Access.WRITE);
    }

    private LockKind lock() {
        Verdict verdict = check();
        assertThat(verdict).isInstanceOf(Verdict.Blocked.class);
        return ((Verdict.Blocked) verdict).lock().kind();
    }

    @Test
    void hiveLockThatAppearsIsSeenAtOnce() throws IOException {
        Path lock = Files.createFile(layout.hive().resolve(LockFiles.HIVE_LOCK));
        assertThat(lock()).isEqualTo(LockKind.DO_NOT_ERASE);

        Files.delete(lock);
        assertThat(check()).isEqualTo(Verdict.ALLOWED);
    }

    @Test
    void hiveLockIsSeenThroughALinkToTheHive() throws IOException {
        Path elsewhere = Files.move(layout.hive(), root.resolve("elsewhere"));
        Files.createSymbolicLink(layout.hive(), elsewhere);
        assertThat(check()).isEqualTo(Verdict.ALLOWED);
        assertThat(check()).isEqualTo(Verdict.ALLOWED);

        Files.createFile(elsewhere.resolve(LockFiles.HIVE_LOCK));
        assertThat(lock()).isEqualTo(LockKind.DO_NOT_ERASE);
    }

    @Test
    void hiveLockMayBeALinkToNowhere() throws IOException {
        Files.createSymbolicLink(layout.hive().resolve(LockFiles.HIVE_LOCK), Path.of("nowhere"));

        assertThat(lock()).isEqualTo(LockKind.DO_NOT_ERASE);
    }

    @Test
    void entryInAListThatWasEmptyIsSeenAtOnce() throws IOException {
        Path list = Files.createDirectory(layout.hive().resolve("do-not-read"));
        assertThat(check()).isEqualTo(Verdict.ALLOWED);
        assertThat(check()).isEqualTo(Verdict.ALLOWED);

        Files.writeString(list.resolve("secret.yaml"), "- .deia/telemetry/**\n");

        assertThat(lock()).isEqualTo(LockKind.DNR);
    }

    @Test
    void listThatAppearsIsSeenAtOnce() throws IOException {
        Path list = Files.createDirectory(root.resolve("elsewhere"));
        Files.writeString(list.resolve("release.yaml"), "- path_pattern: .deia/**\n");

        Files.move(list, layout.hive().resolve("do-not-alter"));

        assertThat(lock()).isEqualTo(LockKind.DO_NOT_ALTER);
    }

    @Test
    void outsideGuardThatAppearsIsSeenAtOnce() throws IOException {
        Path tools = Files.createDirectory(layout.hive().resolve("tools"));
        assertThat(check()).isEqualTo(Verdict.ALLOWED);

        Files.createFile(tools.resolve("policy_guard.sh"));

        assertThat(lock()).isEqualTo(LockKind.DO_NOT_ALTER);
    }

    @Test
    void anotherHiveInItsPlaceIsLookedAtAnew() throws IOException {
        Path other = Files.createDirectory(root.resolve("other"));
        Files.createFile(other.resolve(LockFiles.HIVE_LOCK));
        Files.setLastModifiedTime(other, Files.getLastModifiedTime(layout.hive()));
        Files.move(layout.hive(), root.resolve("old"));

        Files.move(other, layout.hive());

        assertThat(lock()).isEqualTo(LockKind.DO_NOT_ERASE);
    }
}
