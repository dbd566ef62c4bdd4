package dev.pheromone.file.upkeep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.address.Address;
import dev.pheromone.config.HiveFiles;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.file.Git;
import dev.pheromone.file.PlainUser;
import dev.pheromone.file.setup.Finding;
import dev.pheromone.file.setup.Finding.Severity;
import dev.pheromone.file.setup.HiveSetup;
import dev.pheromone.file.setup.HiveSetup.OnUnfitVolume;
import dev.pheromone.file.setup.VolumeProbe;
import dev.pheromone.lock.LockFiles;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

class CheckupTest {

    @TempDir Path folder;

    private HiveLayout layout;

    @BeforeEach
    void makeHive() throws Exception {
        Path root = Files.createDirectory(folder.toRealPath().resolve("root"));
        layout = HiveSetup.init(root, Address.parse("user://ada"), OnUnfitVolume.REFUSE).layout();
    }

    /// What is found beyond what the machine's own disk gives rise to.
    private List<Finding> findings(Instant now) {
        return Checkup.run(layout, new LockFiles(layout), now).stream()
                .filter(finding -> !finding.thing().startsWith("volume "))
                .toList();
    }

    private List<Finding> findings() {
        return findings(Instant.now());
    }

    private Finding onlyFinding() {
        List<Finding> findings = findings();
        assertThat(findings).hasSize(1);
        return findings.getFirst();
    }

    private static Path create(Path file) throws IOException {
        Files.createDirectories(file.getParent());
        return Files.createFile(file);
    }

    @Test
    void aNewHiveIsFine() {
        assertThat(findings()).isEmpty();
    }

    @Test
    void aCheckupChangesNothing() throws IOException {
        List<Path> before = everything();
        findings();

        assertThat(everything()).isEqualTo(before);
    }

    private List<Path> everything() throws IOException {
        try (Stream<Path> paths = Files.walk(layout.root())) {
            return paths.sorted().toList();
        }
    }

    @Test
    void theVolumeIsNamed() {
        assertThat(Checkup.run(layout, new LockFiles(layout), Instant.now()))
                .anyMatch(finding -> finding.thing().startsWith("volume "));
    }

    @Test
    void theFoldersOfEachInboxAreLookedAt() throws IOException {
        create(layout.hive().resolve("status/code"));
        create(layout.hive().resolve("seen/code/a7"));

        assertThat(findings())
                .extracting(Finding::thing)
                .containsExactly(".deia/status/code", ".deia/seen/code/a7");
    }

    @Nested
    class InInboxes {

        @Test
        void foreignFilesAreFoundAndMailIsNot() throws IOException {
            create(layout.inboxes().resolve("code/anything.md"));
            create(layout.inboxes().resolve("code/.DS_Store"));
            create(layout.inboxes().resolve("code/notes.txt"));

            assertThat(onlyFinding())
                    .isEqualTo(
                            new Finding(
                                    Severity.WARNING,
                                    ".deia/inbox/code",
                                    "no mail: notes.txt",
                                    "only names that end in .md",
                                    "move them away"));
        }

        @Test
        void manyForeignFilesAreOneFinding() throws IOException {
            for (int i = 0; i < 1000; i++) {
                create(layout.inboxes().resolve("code/%04d.txt".formatted(i)));
            }

            assertThat(onlyFinding().found())
                    .isEqualTo(
                            "no mail: 0000.txt, 0001.txt, 0002.txt, 0003.txt, 0004.txt and 995"
                                    + " more");
        }

        @ParameterizedTest
        @ValueSource(strings = {"Code", "lane-code", "user-", "a b", "_x"})
        void foldersThatNoAddressCanNameAreFound(String name) throws IOException {
            Files.createDirectory(layout.inboxes().resolve(name));

            assertThat(onlyFinding().found()).contains("no address can name");
        }

        @Test
        void whatIsNoFolderIsFound() throws IOException {
            create(layout.inboxes().resolve("stray.md"));
            Files.createSymbolicLink(layout.inboxes().resolve("link"), layout.root());

            assertThat(findings())
                    .extracting(Finding::found)
                    .containsExactlyInAnyOrder("a file", "a symbolic link");
        }

        @Test
        void onlyOldDraftsAreFound() throws IOException {
            create(layout.inboxes().resolve("code/.tmp/draft"));

            assertThat(findings()).isEmpty();
            assertThat(findings(Instant.now().plus(Duration.ofHours(2))))
                    .singleElement()
                    .satisfies(finding -> {
                        assertThat(finding.thing()).isEqualTo(".deia/inbox/code/.tmp");
                        assertThat(finding.found()).endsWith("killed: draft");
                        assertThat(finding.fix()).isEqualTo("rsm doctor --fix");
                    });
        }
    }

    @Nested
    class InTheHivesFolder {

        @Test
        void aMisspeltNameIsFound() throws IOException {
            create(layout.hive().resolve("do-not-reed/list.yaml"));

            assertThat(onlyFinding().thing()).isEqualTo(".deia/do-not-reed");
        }

        @Test
        void somethingElseInThePlaceOfAFolderIsFound() throws IOException {
            create(layout.hive().resolve("seen"));

            assertThat(findings())
                    .anySatisfy(finding -> {
                        assertThat(finding.severity()).isEqualTo(Severity.ERROR);
                        assertThat(finding.thing()).isEqualTo(".deia/seen");
                        assertThat(finding.found()).isEqualTo("a file");
                    });
        }

        @Test
        void aFolderThatEverybodyMayWriteToIsFound() throws IOException {
            Files.setPosixFilePermissions(
                    layout.inboxes(), PosixFilePermissions.fromString("rwxrwxrwx"));

            assertThat(onlyFinding().fix()).isEqualTo("chmod o-w " + layout.inboxes());
        }

        @Test
        void aFolderThatWeMayNotWriteToIsFound() throws IOException {
            Path base = layout.root().getParent();
            Files.setPosixFilePermissions(base, PosixFilePermissions.fromString("rwxr-xr-x"));
            Path classes = Files.createDirectory(base.resolve("classes"));
            Files.setPosixFilePermissions(
                    layout.inboxes().resolve("ops"), PosixFilePermissions.fromString("r-xr-xr-x"));

            assertThat(PlainUser.run(classes, "checkup", layout.root()))
                    .anyMatch(line ->
                            line.startsWith("Finding[severity=ERROR, thing=.deia/inbox/ops")
                                    && line.contains("may not write"));
        }

        @Test
        void missingPartsAreFoundAndInitIsTheWayOut() throws IOException {
            Files.delete(layout.hive().resolve("telemetry"));
            Files.delete(layout.hive().resolve(".gitignore"));

            assertThat(findings())
                    .hasSize(2)
                    .allSatisfy(finding -> assertThat(finding.fix()).isEqualTo("rsm init"));
        }

        @Test
        void whatAKilledInitLeftIsFoundOnceItIsOld() throws IOException {
            create(layout.hive().resolve(HiveSetup.DRAFT_PREFIX + "1"));
            Files.createDirectory(layout.hive().resolve(VolumeProbe.PREFIX + "2"));

            assertThat(findings()).isEmpty();
            assertThat(findings(Instant.now().plus(Duration.ofHours(2))))
                    .satisfiesExactly(
                            finding -> assertThat(finding.found()).endsWith(".init-1"),
                            finding -> assertThat(finding.thing()).endsWith(".probe-2"));
        }

        @Test
        void underALockNothingIsLookedAt() throws IOException {
            create(layout.hive().resolve("misspelt"));
            create(layout.hive().resolve(LockFiles.HIVE_LOCK));

            assertThat(findings())
                    .isNotEmpty()
                    .allSatisfy(finding -> {
                        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
                        assertThat(finding.found())
                                .containsAnyOf("not looked", "not tried", "not read");
                    });
        }
    }

    @Nested
    class InTheMirror {

        @Test
        void whatNobodyCanMakeSenseOfIsFound() throws IOException {
            Path inbox = layout.mirrorInboxes().resolve("queen-code");
            Files.writeString(Files.createDirectories(inbox).resolve("half.md"), "---\nid: 01");
            Path outcomes = layout.mirrorOutcomes().resolve("code");
            Files.writeString(Files.createDirectories(outcomes).resolve("claim"), "{\"claim\":");
            assertThat(findings())
                    .extracting(finding -> finding.thing() + ": " + finding.found())
                    .containsExactly(
                            ".embargo/inbox: no mail that could be released: half.md",
                            ".embargo/outcome: no outcomes that could be applied: claim");
        }
    }

    @Nested
    class InLinkedWorkTrees {

        @Test
        void mailThatNobodyReadsIsFound() throws IOException {
            Path tree = Git.repository(layout.root()).addWorkTree(folder.resolve("tree"));
            create(tree.resolve(".deia/inbox/code/mail.md"));

            Finding finding = onlyFinding();
            assertThat(finding.thing()).endsWith("tree/.deia/inbox");
            assertThat(finding.found()).endsWith("mail.md");
            assertThat(finding.expected()).isEqualTo("mail in " + layout.inboxes());
        }

        @Test
        void aHiveOfItsOwnHasItsOwnMail() throws IOException {
            Path tree = Git.repository(layout.root()).addWorkTree(folder.resolve("tree"));
            create(tree.resolve(".deia/inbox/code/mail.md"));
            Files.writeString(tree.resolve(".deia/hive.yaml"), "separate: true\n");

            assertThat(findings()).isEmpty();
        }
    }

    @Nested
    class InWhatPeopleWrite {

        @ParameterizedTest
        @ValueSource(strings = {"hive.yaml", "trust.yaml"})
        void mistakesAreFoundWithTheirLine(String name) throws IOException {
            Files.writeString(layout.hive().resolve(name), "format: 1\nunknown: 1\n");

            Finding finding = onlyFinding();
            assertThat(finding.severity()).isEqualTo(Severity.ERROR);
            assertThat(finding.thing()).isEqualTo(".deia/" + name);
            assertThat(finding.found()).startsWith("line 2: found unknown key \"unknown\"");
        }

        @Test
        @Timeout(10)
        void aPipeInTheirPlaceHangsNobody() throws Exception {
            assertThat(new ProcessBuilder("mkfifo", layout.trust().toString()).start().waitFor())
                    .isZero();

            assertThat(onlyFinding().found()).contains("found a pipe, socket or device");
            assertThatThrownBy(() -> new HiveFiles(new LocalDisk(), layout).trust())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("expected a file");
        }

        @Test
        void aLinkInTheirPlaceIsNotFollowed() throws IOException {
            Files.createSymbolicLink(layout.trust(), layout.configuration());

            assertThat(onlyFinding().found()).contains("found a symbolic link, expected a file");
        }
    }
}
