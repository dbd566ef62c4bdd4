package dev.pheromone.file.setup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LimitedDisk;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.file.setup.Finding.Severity;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.LockKind;
import dev.pheromone.guard.Pass;
import dev.pheromone.guard.Verdict;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opentest4j.TestAbortedException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class VolumeProbeTest {

    @TempDir Path folder;

    private Path base;

    @BeforeEach
    void resolve() throws IOException {
        base = folder.toRealPath();
    }

    @Test
    void aGoodDiskHasNoFindingsAndNoTraces() {
        assertThat(VolumeProbe.tryOut(new LocalDisk(), base)).isEmpty();
        assertThat(base).isEmptyDirectory();
    }

    @ParameterizedTest
    @CsvSource({
        "create, writing into",
        "link, hard links",
        "rename, an atomic rename",
        "tryLock, file locks",
        "sync, forcing a folder"
    })
    void whatADiskCannotDoIsFound(String operation, String thing) {
        List<Finding> findings = VolumeProbe.tryOut(LimitedDisk.without(operation), base);

        assertThat(findings)
                .anySatisfy(finding -> {
                    assertThat(finding.severity()).isEqualTo(Severity.ERROR);
                    assertThat(finding.thing()).startsWith(thing);
                    assertThat(finding.found()).contains("Operation not supported");
                });
        assertThat(base).isEmptyDirectory();
    }

    @Test
    void tracesThatCannotBeRemovedAreFound() {
        assertThat(VolumeProbe.tryOut(LimitedDisk.without("remove"), base))
                .singleElement()
                .satisfies(finding -> assertThat(finding.thing()).startsWith("cleaning up"));
    }

    @Test
    void underALockNothingIsTriedAndNothingIsWrong() {
        Lock lock =
                new Lock(LockKind.DO_NOT_ALTER, ".deia", "list", ".deia/do-not-alter/list.yaml");
        Pass closed =
                new Pass() {
                    @Override
                    public Verdict check(Path path, Access access) {
                        return new Verdict.Blocked(lock, "frozen");
                    }

                    @Override
                    public void close() {
                        // Nobody waits for it.
                    }
                };
        Disk locked = new GuardedFiles(new LocalDisk(), () -> closed);

        assertThat(VolumeProbe.tryOut(locked, base))
                .isNotEmpty()
                .allSatisfy(finding -> {
                    assertThat(finding.severity()).isEqualTo(Severity.WARNING);
                    assertThat(finding.found()).startsWith("not tried: ");
                });
    }

    @Test
    void foldersOnOneVolumePass() throws IOException {
        List<Path> folders =
                List.of(
                        Files.createDirectory(base.resolve("inbox")),
                        Files.createDirectory(base.resolve("active")),
                        base.resolve("missing"));

        assertThat(VolumeProbe.tryMoves(new LocalDisk(), new HiveLayout(base), folders)).isEmpty();
        assertThat(base.resolve("inbox")).isEmptyDirectory();
        assertThat(base.resolve("active")).isEmptyDirectory();
    }

    @Test
    void aFolderOnAnotherVolumeIsFound() throws IOException {
        Path memory = Path.of("/dev/shm");
        if (!Files.isWritable(memory)
                || Files.getFileStore(memory).equals(Files.getFileStore(base))) {
            throw new TestAbortedException("no second volume in " + memory);
        }
        Path inbox = Files.createDirectory(base.resolve("inbox"));
        Path elsewhere = Files.createTempDirectory(memory, "archive");
        try {
            assertThat(
                            VolumeProbe.tryMoves(
                                    new LocalDisk(),
                                    new HiveLayout(base),
                                    List.of(inbox, elsewhere)))
                    .singleElement()
                    .satisfies(finding -> {
                        assertThat(finding.severity()).isEqualTo(Severity.ERROR);
                        assertThat(finding.thing()).isEqualTo(elsewhere.toString());
                        assertThat(finding.expected()).isEqualTo("on one volume with inbox");
                    });
            assertThat(elsewhere).isEmptyDirectory();
        } finally {
            Files.delete(elsewhere);
        }
    }
}
