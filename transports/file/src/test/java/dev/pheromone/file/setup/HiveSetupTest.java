package dev.pheromone.file.setup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.pheromone.HiveConfig;
import dev.pheromone.address.Address;
import dev.pheromone.config.HiveYaml;
import dev.pheromone.disk.FaultyDisk;
import dev.pheromone.disk.LimitedDisk;
import dev.pheromone.file.Git;
import dev.pheromone.file.PlainUser;
import dev.pheromone.file.setup.Finding.Severity;
import dev.pheromone.file.setup.HiveSetup.Done;
import dev.pheromone.file.setup.HiveSetup.OnUnfitVolume;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.lock.LockFiles;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

class HiveSetupTest {

    private static final Address YOU = Address.parse("user://ada");

    @TempDir Path folder;

    private Path base;

    @BeforeEach
    void resolve() throws IOException {
        base = folder.toRealPath();
    }

    private static Done init(Path root) throws Exception {
        return HiveSetup.init(root, YOU, OnUnfitVolume.REFUSE);
    }

    private static SetupRefusedException refusal(Path root) {
        return catchThrowableOfType(SetupRefusedException.class, () -> init(root));
    }

    /// Every file with its content, and every folder.
    private static Map<String, String> tree(Path root) throws IOException {
        Map<String, String> tree = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(root)) {
            for (Path path : (Iterable<Path>) paths::iterator) {
                tree.put(
                        root.relativize(path).toString(),
                        Files.isDirectory(path) ? "folder" : Files.readString(path));
            }
        }
        return tree;
    }

    @Nested
    class InAnEmptyFolder {

        @Test
        void everythingIsMadeAndNamed() throws Exception {
            Done done = init(base);

            assertThat(done.layout().root()).isEqualTo(base);
            assertThat(done.made())
                    .containsExactly(
                            ".deia/",
                            ".deia/.gitignore",
                            ".deia/.gitattributes",
                            ".embargo/",
                            ".embargo/.gitignore",
                            ".embargo/gate",
                            ".deia/hive.yaml",
                            ".deia/telemetry/",
                            ".deia/inbox/",
                            ".deia/inbox/governance/",
                            ".deia/inbox/process/",
                            ".deia/inbox/code/",
                            ".deia/inbox/ops/",
                            ".deia/inbox/bugs/",
                            ".deia/inbox/docs/",
                            ".deia/inbox/ui/",
                            ".deia/inbox/user-ada/");
            for (String name : done.made()) {
                assertThat(base.resolve(name)).exists();
            }
        }

        @Test
        void nothingElseIsLeftBehind() throws Exception {
            Done done = init(base);

            // Besides the root itself, the copy of the trusted keys: whoever opens the hive keeps
            // it.
            assertThat(tree(base).keySet().stream().filter(name -> !name.endsWith(".tmp")))
                    .contains(".embargo/trust.yaml")
                    .hasSize(done.made().size() + 2);
        }

        @Test
        void theHiveIsFoundFromBelow() throws Exception {
            init(base);

            assertThat(HiveRoot.find(base.resolve(".deia/inbox/code")).root()).isEqualTo(base);
        }

        @Test
        void itsConfigurationSaysWhatHoldsAnyway() throws Exception {
            init(base);
            String yaml = Files.readString(base.resolve(".deia/hive.yaml"));

            assertThat(HiveYaml.parse(yaml.getBytes(StandardCharsets.UTF_8)))
                    .isSameAs(HiveConfig.defaults());
        }

        @Test
        void whatItsConfigurationCallsDefaultsAreTheDefaults() throws Exception {
            init(base);
            String yaml = Files.readString(base.resolve(".deia/hive.yaml"));
            String uncommented = yaml.replaceAll("(?m)^#(?=[a-z])", "");

            assertThat(uncommented).isNotEqualTo(yaml).contains("\nseparate: false");
            assertThat(HiveYaml.parse(uncommented.getBytes(StandardCharsets.UTF_8)))
                    .isEqualTo(HiveConfig.defaults());
        }

        @Test
        void aFolderThatDoesNotExistIsMade() throws Exception {
            assertThat(init(base.resolve("new/deep")).layout().root())
                    .isEqualTo(base.resolve("new/deep"));
        }
    }

    @Nested
    class ForGit {

        @Test
        void onlyTheRulesOfAHiveShow() throws Exception {
            Git git = Git.repository(base);
            Done done = init(base);

            assertThat(git.untracked())
                    .containsExactlyInAnyOrder(
                            ".deia/.gitattributes", ".deia/.gitignore", ".deia/hive.yaml");

            for (String name :
                    new String[] {
                        ".deia/trust.yaml",
                        ".deia/do-not-read/a.yaml",
                        ".deia/do-not-alter/b/c.yaml",
                        ".deia/do-not-erase/d.yaml",
                        ".deia/tools/policy_guard.sh",
                        ".deia/inbox/code/mail.md",
                        ".deia/telemetry/rse.jsonl",
                        ".deia/state/code/count",
                        ".deia/overrides/ALLOW-WRITE-1",
                        ".deia/" + LockFiles.HIVE_LOCK,
                        ".embargo/inbox/queen-code/mail.md",
                    }) {
                Path file = done.layout().root().resolve(name);
                Files.createDirectories(file.getParent());
                Files.createFile(file);
            }
            assertThat(git.untracked())
                    .containsExactlyInAnyOrder(
                            ".deia/.gitattributes",
                            ".deia/.gitignore",
                            ".deia/hive.yaml",
                            ".deia/trust.yaml",
                            ".deia/do-not-read/a.yaml",
                            ".deia/do-not-alter/b/c.yaml",
                            ".deia/do-not-erase/d.yaml",
                            ".deia/tools/policy_guard.sh");
        }

        @Test
        void noFileOfTheUsersChanges() throws Exception {
            Files.writeString(base.resolve(".gitignore"), "target/\n");
            Files.writeString(base.resolve(".gitattributes"), "* text=auto\n");
            Git git = Git.repository(base);
            init(base);

            assertThat(git.run("diff", "HEAD")).isEmpty();
        }

        @Test
        void aLinkedTreePointsToTheMainOne() throws Exception {
            Git git = Git.repository(base.resolve("main"));
            Path tree = git.addWorkTree(base.resolve("tree"));

            SetupRefusedException e = refusal(Files.createDirectories(tree.resolve("sub")));
            assertThat(e)
                    .hasMessage(
                            "%s is a linked work tree, which shares the hive of its main one, %s"
                                    .formatted(tree, git.folder()));
            assertThat(e.hint())
                    .contains("rsm init " + git.folder().resolve("sub"))
                    .contains("\"separate: true\"");
            assertThat(tree.resolve("sub")).isEmptyDirectory();
        }

        @Test
        void forceMakesNoSecondHiveEither() throws Exception {
            Git git = Git.repository(base.resolve("main"));
            Path tree = git.addWorkTree(base.resolve("tree"));

            assertThatThrownBy(() -> HiveSetup.init(tree, YOU, OnUnfitVolume.ACCEPT))
                    .isInstanceOf(SetupRefusedException.class);
        }

        @Test
        void aLinkedTreeWhoseMainTreeIsGoneIsRefused() throws Exception {
            Git git = Git.repository(base.resolve("main"));
            Path tree = git.addWorkTree(base.resolve("tree"));
            Files.move(git.folder(), base.resolve("moved"));

            assertThat(refusal(tree)).hasMessageContaining("can't be found: there is no");
        }

        @Test
        void aLinkedTreeOfABareRepositoryIsRefused() throws Exception {
            Git git = Git.repository(base.resolve("origin"));
            git.run("clone", "--quiet", "--bare", ".", base.resolve("bare.git").toString());
            Path tree = new Git(base.resolve("bare.git")).addWorkTree(base.resolve("tree"));

            assertThat(refusal(tree)).hasMessageContaining("bare repository");
        }

        @Test
        void aTreeThatSaysSoHasAHiveOfItsOwn() throws Exception {
            Git git = Git.repository(base.resolve("main"));
            Path tree = git.addWorkTree(base.resolve("tree"));
            Files.createDirectory(tree.resolve(".deia"));
            Files.writeString(tree.resolve(".deia/hive.yaml"), "separate: true\n");

            assertThat(init(tree).made()).contains(".deia/inbox/code/");
            assertThat(tree.resolve(".deia/hive.yaml")).hasContent("separate: true\n");
        }
    }

    @Nested
    class ASecondTime {

        @Test
        void nothingChanges() throws Exception {
            init(base);
            Map<String, String> before = tree(base);

            assertThat(init(base).made()).isEmpty();
            assertThat(tree(base)).isEqualTo(before);
        }

        @Test
        void onlyWhatIsMissingIsMade() throws Exception {
            init(base);
            Files.writeString(base.resolve(".deia/.gitignore"), "mine\n");
            Files.writeString(base.resolve(".deia/hive.yaml"), "attempts: 3\n");
            Files.delete(base.resolve(".deia/.gitattributes"));
            Files.delete(base.resolve(".deia/inbox/ui/.tmp"));
            Files.delete(base.resolve(".deia/inbox/ui"));

            assertThat(init(base).made())
                    .containsExactly(".deia/.gitattributes", ".deia/inbox/ui/");
            assertThat(base.resolve(".deia/.gitignore")).hasContent("mine\n");
            assertThat(base.resolve(".deia/hive.yaml")).hasContent("attempts: 3\n");
        }

        @Test
        void anotherUserGetsAnInbox() throws Exception {
            init(base);

            assertThat(
                            HiveSetup.init(base, Address.parse("user://bo"), OnUnfitVolume.REFUSE)
                                    .made())
                    .containsExactly(".deia/inbox/user-bo/");
        }

        @Test
        void aHiveOfALaterFormatIsLeftAlone() throws Exception {
            Files.createDirectory(base.resolve(".deia"));
            Files.writeString(base.resolve(".deia/hive.yaml"), "format: 2\n");

            assertThat(refusal(base)).hasMessageContaining("upgrade rsm");
            assertThat(tree(base)).hasSize(3);
        }

        @ParameterizedTest
        @EnumSource
        void aSetupCutShortAnywhereIsCompleted(FaultyDisk.Fault fault) throws Exception {
            Map<String, String> complete = tree(init(base.resolve("whole")).layout().root());
            int cuts = 0;
            for (boolean cut = true; cut; cuts++) {
                Path root = Files.createDirectory(base.resolve("cut-" + cuts));
                FaultyDisk disk = new FaultyDisk(fault, cuts);
                try {
                    HiveSetup.init(disk, root, YOU, OnUnfitVolume.REFUSE);
                } catch (FaultyDisk.Death | SetupRefusedException | IOException e) {
                    assertThat(disk.hit()).as(e.toString()).isNotEmpty();
                }
                cut = !disk.hit().isEmpty();
                init(root);

                Map<String, String> tree = tree(root);
                tree.keySet().removeIf(name -> name.matches(".*/[.](probe|init)-.*"));
                assertThat(tree).as("%s at %s", fault, disk.hit()).isEqualTo(complete);
            }
            assertThat(cuts).isGreaterThan(20);
        }
    }

    @Nested
    class Refuses {

        @Test
        void aFolderThatMayNotBeWritten() throws Exception {
            Path scratch = Files.createDirectory(base.resolve("classes"));
            Path root = Files.createDirectory(base.resolve("root"));
            Files.setPosixFilePermissions(base, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("r-xr-xr-x"));

            assertThat(PlainUser.run(scratch, "init", root))
                    .containsExactly(
                            "java.nio.file.AccessDeniedException: " + root.resolve(".deia"));
            assertThat(root).isEmptyDirectory();
        }

        @Test
        void aDiskWithoutHardLinksAndLeavesNothingThere() {
            assertThatThrownBy(() ->
                            HiveSetup.init(
                                    LimitedDisk.without("link"), base, YOU, OnUnfitVolume.ACCEPT))
                    .isInstanceOf(SetupRefusedException.class)
                    .hasMessageContaining("hard links: found")
                    .hasMessageContaining("Operation not supported, expected possible");
            assertThat(base).isEmptyDirectory();
        }

        @Test
        void aSyncedFolderUnlessForced() throws Exception {
            Path root = Files.createDirectories(base.resolve("Dropbox/project"));

            SetupRefusedException e = refusal(root);
            assertThat(e).hasMessageContaining("a folder that Dropbox copies to other machines");
            assertThat(e.hint()).contains("server").contains("--force");
            assertThat(root).isEmptyDirectory();

            Done done = HiveSetup.init(root, YOU, OnUnfitVolume.ACCEPT);
            assertThat(done.findings())
                    .anyMatch(finding -> finding.severity() == Severity.ERROR)
                    .anyMatch(finding -> finding.thing().equals(root.getParent().toString()));
        }

        @Test
        void aFileInTheWay() throws Exception {
            Files.createFile(base.resolve(".deia"));

            assertThat(refusal(base)).hasMessageContaining("found a file, expected a folder");
            assertThat(refusal(base.resolve(".deia/below")))
                    .hasMessageContaining("found a file, expected a folder");
        }

        @Test
        void aLinkInThePlaceOfAFolder() throws Exception {
            init(base);
            Path elsewhere = Files.move(base.resolve(".deia/telemetry"), base.resolve("elsewhere"));
            Files.createSymbolicLink(base.resolve(".deia/telemetry"), elsewhere);

            assertThat(refusal(base)).hasMessageContaining("found a symbolic link");
        }

        @Test
        void aLockedHive() throws Exception {
            init(base);
            Files.delete(base.resolve(".deia/.gitattributes"));
            Files.createFile(base.resolve(".deia").resolve(LockFiles.HIVE_LOCK));

            assertThatThrownBy(() -> init(base)).isInstanceOf(WithheldException.class);
            assertThat(base.resolve(".deia/.gitattributes")).doesNotExist();
        }
    }

    @Test
    void aHiveInsideAnotherIsMentioned() throws Exception {
        init(base);

        assertThat(init(base.resolve("part")).findings())
                .anyMatch(finding ->
                        finding.severity() == Severity.WARNING
                                && finding.found().equals("a hive inside the hive of " + base));
    }
}
