package dev.pheromone.file.setup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.disk.FileSystemKind;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.disk.SyncedFolder;
import dev.pheromone.file.setup.Finding.Severity;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.TestAbortedException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class VolumeTest {

    @TempDir Path folder;

    private Path base;

    @BeforeEach
    void resolve() throws IOException {
        base = folder.toRealPath();
    }

    private static List<Finding> findings(Path folder) throws IOException {
        return new Volume(new LocalDisk()).findings(folder);
    }

    @Test
    void theMountAndItsTypeAreAlwaysNamed() throws IOException {
        var store = Files.getFileStore(base);

        Finding finding = findings(base).getFirst();
        assertThat(finding.thing()).isEqualTo("volume " + store);
        assertThat(finding.found()).startsWith(store.type());
    }

    @Test
    void memoryIsNoDiskThatSurvivesAPowerCut() throws IOException {
        Path memory = Path.of("/dev/shm");
        if (!Files.isWritable(memory) || !Files.getFileStore(memory).type().equals("tmpfs")) {
            throw new TestAbortedException("no tmpfs in " + memory);
        }
        Path inMemory = Files.createTempDirectory(memory, "hive");
        try {
            assertThat(findings(inMemory))
                    .singleElement()
                    .satisfies(finding -> {
                        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
                        assertThat(finding.thing()).startsWith("volume /dev/shm");
                        assertThat(finding.found()).startsWith("tmpfs, not journaling");
                    });
            assertThat(VolumeProbe.tryOut(new LocalDisk(), inMemory)).isEmpty();
        } finally {
            Files.delete(inMemory);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "ext4, JOURNALING",
        "xfs, JOURNALING",
        "btrfs, JOURNALING",
        "zfs, JOURNALING",
        "apfs, JOURNALING",
        "NTFS, JOURNALING",
        "tmpfs, NOT_JOURNALING",
        "vfat, NOT_JOURNALING",
        "exFAT, NOT_JOURNALING",
        "ext2, NOT_JOURNALING",
        "nfs, NETWORK",
        "nfs4, NETWORK",
        "cifs, NETWORK",
        "smbfs, NETWORK",
        "smb3, NETWORK",
        "fuse.sshfs, NETWORK",
        "fuse.rclone, SYNCED",
        "9p, SHARED_WITH_HOST",
        "virtiofs, SHARED_WITH_HOST",
        "overlay, UNKNOWN",
        "fuse.something, UNKNOWN"
    })
    void kindsAreKnownByType(String type, FileSystemKind kind) {
        assertThat(FileSystemKind.of(type)).isEqualTo(kind);
    }

    @Nested
    class SyncedFolders {

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "Dropbox",
                    "Dropbox (Personal)",
                    "OneDrive",
                    "OneDrive - Contoso",
                    "Library/CloudStorage/OneDrive-Contoso",
                    "Library/CloudStorage/Box-Box",
                    "Library/Mobile Documents/com~apple~CloudDocs",
                    "iCloudDrive",
                    "Google Drive",
                    "GoogleDrive-ada@localhost/My Drive"
                })
        void areKnownByName(String name) throws IOException {
            Path inside = Files.createDirectories(base.resolve(name).resolve("code/project"));

            assertThat(findings(inside))
                    .anySatisfy(finding -> {
                        assertThat(finding.severity()).isEqualTo(Severity.ERROR);
                        assertThat(finding.found()).contains("copies to other machines");
                        assertThat(finding.fix()).contains("server");
                    });
        }

        @Test
        void areKnownByWhatTheServicesLeaveThere() throws IOException {
            Path inside = Files.createDirectories(base.resolve("shared/project"));
            Files.createFile(base.resolve("shared/.dropbox"));

            assertThat(SyncedFolder.around(inside, new LocalDisk()))
                    .contains(new SyncedFolder("Dropbox", base.resolve("shared")));
        }

        @Test
        void areKnownThroughALink() throws IOException {
            Path real = Files.createDirectories(base.resolve("OneDrive/project"));
            Path link = Files.createSymbolicLink(base.resolve("project"), real);

            assertThat(SyncedFolder.around(link.toRealPath(), new LocalDisk())).isPresent();
        }

        @ParameterizedTest
        @ValueSource(strings = {"dropbox-sdk", "OneDriver", "Google Drivetrain", "code"})
        void areNotConfusedWithProjectsOfSimilarNames(String name) throws IOException {
            Path inside = Files.createDirectories(base.resolve(name));
            // The settings of a Dropbox user, which lie at home and not in what is synced.
            Files.createDirectory(base.resolve(".dropbox"));

            assertThat(SyncedFolder.around(inside, new LocalDisk())).isEmpty();
        }
    }
}
