package dev.pheromone.file.setup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.pheromone.disk.HiveLayout;
import dev.pheromone.file.Git;
import dev.pheromone.lock.LockFiles;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

class HiveRootTest {

    @TempDir Path folder;

    private Path base;

    @BeforeEach
    void resolve() throws IOException {
        base = folder.toRealPath();
    }

    private static Path makeHive(Path root) throws IOException {
        Files.createDirectories(root.resolve(".deia"));
        return root;
    }

    private static Path makeHive(Path root, String yaml) throws IOException {
        makeHive(root);
        Files.writeString(root.resolve(".deia/hive.yaml"), yaml);
        return root;
    }

    private static Path find(Path start) throws Exception {
        return HiveRoot.find(start).root();
    }

    private static NoHiveException failure(Path start) {
        return catchThrowableOfType(NoHiveException.class, () -> HiveRoot.find(start));
    }

    @Nested
    class InOrdinaryFolders {

        @Test
        void theNearestHiveAboveIsFound() throws Exception {
            Path outer = makeHive(base.resolve("outer"));
            Path inner = makeHive(outer.resolve("a/inner"));
            Path below = Files.createDirectories(inner.resolve("b/c"));

            assertThat(find(below)).isEqualTo(inner);
            assertThat(find(inner)).isEqualTo(inner);
            assertThat(find(outer.resolve("a"))).isEqualTo(outer);
        }

        @Test
        void allHivesAroundAPathHaveASay() throws Exception {
            Path outer = makeHive(base.resolve("outer"));
            Path middle = makeHive(outer.resolve("a/middle"));
            Path inner = makeHive(middle.resolve("inner"));

            assertThat(HiveRoot.around(inner.resolve("new/file.txt")))
                    .extracting(HiveLayout::root)
                    .containsExactly(inner, middle, outer);
        }

        @Test
        void theRootIsRealEvenThroughALink() throws Exception {
            Path real = makeHive(base.resolve("real"));
            Path link = Files.createSymbolicLink(base.resolve("link"), real);

            assertThat(find(link)).isEqualTo(real);
            assertThat(HiveRoot.at(link).root()).isEqualTo(real);
        }

        @Test
        void whereThereIsNoneTheHintMakesOne() {
            NoHiveException e = failure(base);

            assertThat(e).hasMessage("no hive in " + base + " or any folder above it");
            assertThat(e.hint()).isEqualTo("make one with:");
            assertThat(e.command()).contains("rsm init");
        }

        @Test
        void aLinkOrFileOfThatNameIsAnErrorRatherThanAnotherHive() throws Exception {
            Path outer = makeHive(base.resolve("outer"));
            Path linking = Files.createDirectories(outer.resolve("linking"));
            Files.createSymbolicLink(linking.resolve(".deia"), outer.resolve(".deia"));
            Path filing = Files.createDirectories(outer.resolve("filing"));
            Files.createFile(filing.resolve(".deia"));

            assertThat(failure(linking))
                    .hasMessage(
                            linking.resolve(".deia")
                                    + ": found a symbolic link, expected a folder");
            assertThat(failure(filing)).hasMessageContaining("found a file, expected a folder");
        }
    }

    @Nested
    class WhereARootIsNamed {

        @Test
        void itIsThatFolderOrNone() throws Exception {
            Path hive = makeHive(base.resolve("hive"));
            Path below = Files.createDirectories(hive.resolve("it's below"));

            assertThat(HiveRoot.at(hive).root()).isEqualTo(hive);
            NoHiveException e =
                    catchThrowableOfType(NoHiveException.class, () -> HiveRoot.at(below));
            assertThat(e).hasMessage("no hive in " + below + ": it holds no .deia");
            assertThat(e.command()).contains("rsm init '" + hive + "/it'\\''s below'");
        }

        @Test
        void aMissingFolderHoldsNoHive() {
            assertThat(
                            catchThrowableOfType(
                                    NoHiveException.class,
                                    () -> HiveRoot.at(base.resolve("nowhere"))))
                    .hasMessageContaining("there is no such folder");
        }

        @Test
        void aLinkedTreeIsNoSecondHive() throws Exception {
            Git git = Git.repository(makeHive(base.resolve("main"), "format: 1\n"));
            Path tree = git.addWorkTree(base.resolve("tree"));

            assertThat(HiveRoot.at(tree).root()).isEqualTo(git.folder());
        }
    }

    @Nested
    class InLinkedWorkTrees {

        @Test
        void theMainTreesHiveIsUsed() throws Exception {
            Git git = Git.repository(makeHive(base.resolve("main"), "format: 1\n"));
            Path tree = git.addWorkTree(base.resolve("trees/tree"));
            Path below = Files.createDirectories(tree.resolve("src/deep"));

            assertThat(tree.resolve(".deia/hive.yaml")).exists();
            assertThat(find(tree)).isEqualTo(git.folder());
            assertThat(find(below)).isEqualTo(git.folder());
            assertThat(find(git.folder())).isEqualTo(git.folder());
        }

        @Test
        void theMainTreesHiveIsUsedBeforeItsFilesAreVersioned() throws Exception {
            Git git = Git.repository(base.resolve("main"));
            Path tree = git.addWorkTree(base.resolve("tree"));
            makeHive(git.folder());

            assertThat(find(Files.createDirectories(tree.resolve("src")))).isEqualTo(git.folder());
        }

        @Test
        void aHiveInASubfolderIsThatOfTheSameSubfolder() throws Exception {
            Path main = base.resolve("main");
            Path hive = makeHive(main.resolve("part/one"), "format: 1\n");
            Git git = Git.repository(main);
            Path tree = git.addWorkTree(base.resolve("tree"));

            assertThat(find(tree.resolve("part/one"))).isEqualTo(hive);
            assertThat(failure(tree.resolve("part"))).hasMessageContaining("no hive in");
        }

        @Test
        void aSeparateHiveIsFound() throws Exception {
            Git git = Git.repository(makeHive(base.resolve("main"), "format: 1\n"));
            Path tree = git.addWorkTree(base.resolve("tree"));
            makeHive(tree, "format: 1\nseparate: true\n");

            assertThat(find(tree)).isEqualTo(tree);
            assertThat(HiveRoot.at(tree).root()).isEqualTo(tree);
        }

        @Test
        void aMainTreeWithoutAHiveIsAnErrorWithTwoWaysOut() throws Exception {
            Git git = Git.repository(base.resolve("main"));
            Path tree = makeHive(git.addWorkTree(base.resolve("tree")));

            NoHiveException e = failure(tree);
            assertThat(e)
                    .hasMessage(
                            "no hive in %s, whose hive the linked work tree %s shares"
                                    .formatted(git.folder(), tree));
            assertThat(e.hint())
                    .contains("rsm init " + git.folder())
                    .contains("\"separate: true\" into " + tree.resolve(".deia/hive.yaml"));
        }

        @Test
        void aMainTreeThatIsGoneIsAnErrorEvenBelowAnotherHive() throws Exception {
            makeHive(base);
            Git git = Git.repository(makeHive(base.resolve("main"), "format: 1\n"));
            Path tree = git.addWorkTree(base.resolve("tree"));
            Files.move(git.folder(), base.resolve("moved"));

            NoHiveException e = failure(tree);
            assertThat(e)
                    .hasMessage(
                            "the main work tree of %s can't be found: there is no %s"
                                    .formatted(tree, git.folder().resolve(".git/worktrees/tree")));
            assertThat(e.hint()).contains("git worktree repair").contains("--root");
        }

        @Test
        void aSeparateHiveNeedsNoMainTree() throws Exception {
            Git git = Git.repository(base.resolve("main"));
            Path tree = git.addWorkTree(base.resolve("tree"));
            makeHive(tree, "separate: true\n");
            Files.move(git.folder(), base.resolve("moved"));

            assertThat(find(tree)).isEqualTo(tree);
        }

        @Test
        void configurationThatCannotBeReadIsAnError() throws Exception {
            Git git = Git.repository(makeHive(base.resolve("main"), "format: 1\n"));
            Path tree = git.addWorkTree(base.resolve("tree"));
            makeHive(tree, "format: 1\nseperate: true\n");

            assertThat(failure(tree))
                    .hasMessageContaining(tree.resolve(".deia/hive.yaml") + ": line 2");
        }

        @Test
        void aLockedConfigurationCountsAsShared() throws Exception {
            Git git = Git.repository(makeHive(base.resolve("main"), "format: 1\n"));
            Path tree = git.addWorkTree(base.resolve("tree"));
            makeHive(tree, "separate: true\n");
            Files.createFile(tree.resolve(".deia").resolve(LockFiles.HIVE_LOCK));

            assertThat(find(tree)).isEqualTo(git.folder());
        }

        @Test
        void aTreeInsideTheMainTreeFindsItToo() throws Exception {
            Git git = Git.repository(makeHive(base.resolve("main"), "format: 1\n"));

            assertThat(find(git.addWorkTree(git.folder().resolve(".trees/one"))))
                    .isEqualTo(git.folder());
        }

        @Test
        void aHiveAroundAllTreesIsFound() throws Exception {
            makeHive(base);
            Git git = Git.repository(base.resolve("main"));

            assertThat(find(git.addWorkTree(base.resolve("tree")))).isEqualTo(base);
        }

        @Test
        void anIndependentRepositoryInsideHasItsOwnHive() throws Exception {
            Git git = Git.repository(makeHive(base.resolve("main"), "format: 1\n"));
            Path tree = git.addWorkTree(base.resolve("tree"));
            Git inner = Git.repository(makeHive(tree.resolve("inner")));

            assertThat(find(inner.folder())).isEqualTo(inner.folder());
        }
    }

    @Nested
    class OfBareRepositories {

        @Test
        void aHiveBesideTheTreesIsShared() throws Exception {
            Git git = Git.repository(base.resolve("origin"));
            git.run("clone", "--quiet", "--bare", ".", base.resolve("all/.bare").toString());
            Git bare = new Git(base.resolve("all/.bare"));
            makeHive(base.resolve("all"));
            Path tree = makeHive(bare.addWorkTree(base.resolve("all/tree")), "format: 1\n");

            assertThat(find(tree)).isEqualTo(base.resolve("all"));
        }

        @Test
        void withoutOneTheErrorSaysWhere() throws Exception {
            Git git = Git.repository(base.resolve("origin"));
            git.run("clone", "--quiet", "--bare", ".", base.resolve("bare.git").toString());
            Path tree = new Git(base.resolve("bare.git")).addWorkTree(base.resolve("tree"));
            makeHive(tree, "format: 1\n");

            NoHiveException e = failure(tree);
            assertThat(e).hasMessageContaining("bare repository " + base.resolve("bare.git"));
            assertThat(e.hint()).contains("rsm init DIR").contains("separate: true");
        }
    }

    @Nested
    class InSubmodules {

        private Git main;
        private Path module;

        @BeforeEach
        void addSubmodule() throws IOException {
            Git.repository(base.resolve("library"));
            main = Git.repository(makeHive(base.resolve("main"), "format: 1\n"));
            main.run(
                    "submodule",
                    "--quiet",
                    "add",
                    base.resolve("library").toString(),
                    "lib/module");
            main.commitAll();
            module = main.folder().resolve("lib/module");
        }

        @Test
        void theyAreOrdinaryFolders() throws Exception {
            assertThat(module.resolve(".git")).isRegularFile();
            assertThat(find(module)).isEqualTo(main.folder());
            assertThat(find(makeHive(module))).isEqualTo(module);
        }

        @Test
        void alsoThoseOfALinkedTree() throws Exception {
            Path tree = main.addWorkTree(base.resolve("tree"));
            new Git(tree).run("submodule", "--quiet", "update", "--init");

            assertThat(find(tree.resolve("lib/module"))).isEqualTo(main.folder());
        }

        @Test
        void aLinkedTreeOfTheSubmoduleItselfFindsTheSubmodulesHive() throws Exception {
            makeHive(module);
            Path tree = new Git(module).addWorkTree(base.resolve("module-tree"));

            assertThat(find(tree)).isEqualTo(module);
        }
    }
}
