package dev.pheromone.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;

class BannedCallsTest {
    @TempDir Path folder;
    private Sample sample;

    @BeforeEach
    void makeModules() {
        sample =
                new Sample(folder)
                        .withModule("core")
                        .withModule("disk")
                        .withModule("transports/file")
                        .withModule("hive")
                        .withModule("apps/cli");
    }

    @Nested
    class FilesPastTheGuard implements RuleContract {
        @Override
        public Rule rule() {
            return BannedCalls.filesPastTheGuard();
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "Files.delete(path);",
                    "java.nio.file.Files.delete(path);",
                    "FileChannel.open(path);",
                    "new RandomAccessFile(name, mode);",
                    "new FileInputStream(name);",
                    "new FileWriter(name);",
                    "path.toFile().delete();",
                    "path.toRealPath();"
                })
        void areFoundInModulesThatHandleAHive(String call) throws IOException {
            sample.withType("transports/file", "dev.pheromone.file.copy.Drop", call)
                    .withType("hive", "dev.pheromone.hive.Queen", call)
                    .withType("apps/cli", "dev.pheromone.cli.Send", call);

            assertThat(sample.problemsOf(rule()))
                    .hasSize(3)
                    .allMatch(problem -> problem.contains(":4: touches files past the guard"));
        }

        @Test
        void areNoneInTheClassesMadeForIt() throws IOException {
            sample.withType("disk", "dev.pheromone.disk.LocalDisk", "Files.delete(a);")
                    .withType("apps/cli", "dev.pheromone.cli.UserFiles", "Files.delete(a);");

            assertThat(sample.problemsOf(rule())).isEmpty();
        }

        @Test
        void haveNoSanctuaryInAnotherModulesClassName() throws IOException {
            sample.withType("apps/cli", "dev.pheromone.cli.LocalDisk", "Files.delete(a);");

            assertThat(sample.problemsOf(rule())).hasSize(1);
        }

        @Test
        void areFreeToBeTalkedAbout() throws IOException {
            sample.withType("hive", "dev.pheromone.hive.Queen", "// Files\nString a = \"Files\";");

            assertThat(sample.problemsOf(rule())).isEmpty();
        }
    }

    @Nested
    class LinksPastPublication implements RuleContract {
        @Override
        public Rule rule() {
            return BannedCalls.linksPastPublication();
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "files.link(draft, file);",
                    "hive.files().link(draft, file);",
                    "disk.linkInto(folder, draft, file);"
                })
        void areFound(String call) throws IOException {
            sample.withType("transports/file", "dev.pheromone.file.copy.Drop", call);

            assertThat(sample.problemsOf(rule())).hasSize(1);
        }

        @Test
        void areNoneByWayOfPublication() throws IOException {
            sample.withType("disk", "dev.pheromone.disk.Publication", "files.link(draft, file);")
                    .withType(
                            "transports/file",
                            "dev.pheromone.file.copy.Drop",
                            "publication.link(a, b);");

            assertThat(sample.problemsOf(rule())).isEmpty();
        }
    }

    @Nested
    class EffectsInCore implements RuleContract {
        @Override
        public Rule rule() {
            return BannedCalls.effectsInCore();
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "Files.exists(path);",
                    "new Thread(work);",
                    "Executors.newCachedThreadPool();",
                    "Clock clock;",
                    "Instant.now();",
                    "System.currentTimeMillis();",
                    "System.nanoTime();"
                })
        void areFound(String call) throws IOException {
            sample.withType("core", "dev.pheromone.address.Lane", call);

            assertThat(sample.problemsOf(rule())).hasSize(1);
        }

        @Test
        void areFineInOtherModulesAndInTests() throws IOException {
            sample.withType("hive", "dev.pheromone.hive.Hive", "new Thread(work);")
                    .withTest("core", "dev.pheromone.LaneTest", "new Thread(work);");

            assertThat(sample.problemsOf(rule())).isEmpty();
        }
    }

    @Nested
    class ClocksOutOfPlace implements RuleContract {
        @Override
        public Rule rule() {
            return BannedCalls.clocksOutOfPlace();
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "Instant.now();",
                    "LocalDate.now(zone);",
                    "supply(Instant::now);",
                    "System.currentTimeMillis();",
                    "Clock.systemUTC();",
                    "InstantSource.system();",
                    "new Date();"
                })
        void areFound(String call) throws IOException {
            sample.withType("hive", "dev.pheromone.hive.Queen", call)
                    .withType("apps/cli", "dev.pheromone.cli.Send", call);

            assertThat(sample.problemsOf(rule())).hasSize(2);
        }

        @Test
        void areFineWhereTheProgramStartsAndInTests() throws IOException {
            sample.withType("apps/cli", "dev.pheromone.cli.Main", "InstantSource.system();")
                    .withType("hive", "dev.pheromone.hive.Hive", "Instant now = clock.instant();")
                    .withType(
                            "apps/cli", "dev.pheromone.cli.Send", "call.now(); System.nanoTime();")
                    .withTest("hive", "dev.pheromone.hive.HiveTest", "Instant.now();");

            assertThat(sample.problemsOf(rule())).isEmpty();
        }
    }

    @Nested
    class ExitsOutsideMain implements RuleContract {
        @Override
        public Rule rule() {
            return BannedCalls.exitsOutsideMain();
        }

        @Test
        void areFound() throws IOException {
            sample.withType("apps/cli", "dev.pheromone.cli.Main", "System.exit(1);")
                    .withType("apps/cli", "dev.pheromone.cli.Send", "System.exit(1);")
                    .withType("hive", "dev.pheromone.hive.Hive", "Runtime.getRuntime().halt(1);");

            assertThat(sample.problemsOf(rule())).hasSize(2);
        }
    }

    @Nested
    class TestsThatDoNotTest implements RuleContract {
        @Override
        public Rule rule() {
            return BannedCalls.testsThatDoNotTest();
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "@Disabled void a() {}",
                    "void a() { assumeTrue(false); }",
                    "void a() { Assumptions.assumeThat(b); }",
                    "void a() { Thread.sleep(100); }",
                    "org.mockito.Mock mock;"
                })
        void areFound(String body) throws IOException {
            sample.withTest("core", "dev.pheromone.LaneTest", body);

            assertThat(sample.problemsOf(rule())).hasSize(1);
        }
    }
}
