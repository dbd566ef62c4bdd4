package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.address.Address;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.file.setup.HiveSetup;
import dev.pheromone.lock.KeptTrust;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.trust.TrustList;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;

/// Whose word lifts a lock, when the trusted keys may not be read.
final class KeptTrustTest {

    @TempDir private Path root;
    private HiveLayout layout;
    private KeptTrust kept;
    private Path copy;

    @BeforeEach
    void init() throws Exception {
        layout =
                HiveSetup.init(root, Address.parse("user://ada"), HiveSetup.OnUnfitVolume.ACCEPT)
                        .layout();
        kept = new KeptTrust(layout, new LockFiles(layout));
        copy = layout.root().resolve(kept.copyName());
    }

    @Test
    void aHiveThatNeverHadKeysNeedsNone() throws Exception {
        Files.createFile(LockFiles.hiveLock(layout));

        assertThat(kept.read()).contains(TrustList.empty());
    }

    @Test
    void nobodyKnowsOnceTheCopyIsLost() throws Exception {
        Files.createFile(LockFiles.hiveLock(layout));
        Files.delete(copy);

        assertThat(kept.read()).isEmpty();
    }

    @Test
    void theCopyFollowsAFileThatWasChangedByHand() throws Exception {
        Files.writeString(layout.trust(), "format: 1\n# first\n");
        kept.refresh();
        assertThat(copy).hasContent("format: 1\n# first\n");

        Files.writeString(layout.trust(), "format: 1\n# other\n");
        kept.refresh();
        assertThat(copy).hasContent("format: 1\n# other\n");

        Files.delete(layout.trust());
        kept.refresh();
        assertThat(copy).isEmptyFile();
    }

    @Test
    void underALockTheCopyStaysAsItIs() throws Exception {
        Files.writeString(layout.trust(), "format: 1\n");
        kept.refresh();
        Files.createFile(LockFiles.hiveLock(layout));
        Files.delete(layout.trust());

        kept.refresh();
        kept.keep();

        assertThat(copy).hasContent("format: 1\n");
    }
}
