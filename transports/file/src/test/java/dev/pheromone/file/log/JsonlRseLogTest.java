package dev.pheromone.file.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.file.RseEvents;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Pass;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.guard.Verdict;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseLine;
import dev.pheromone.rse.RseLog.Durability;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

@Timeout(60)
class JsonlRseLogTest {

    @TempDir Path folder;
    private Path file;

    @BeforeEach
    void nameTheFile() {
        file = folder.resolve("telemetry").resolve("rse.jsonl");
    }

    private JsonlRseLog open() {
        return new JsonlRseLog(new LocalDisk(), file);
    }

    private void write(String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    @Nested
    class Appending {

        @Test
        void writesOneLineAnEventInOrder() throws IOException {
            try (JsonlRseLog log = open()) {
                log.append(RseEvents.numbered("ada", 1), Durability.DISK);
                log.append(
                        List.of(RseEvents.numbered("ada", 2), RseEvents.numbered("bob", 3)),
                        Durability.GROUPED);
                log.append(List.of(), Durability.DISK);
                assertThat(RseEvents.numbers(log)).containsExactly(1L, 2L, 3L);
            }
            assertThat(Files.readAllLines(file)).hasSize(3);
            assertThat(Files.readAllBytes(file))
                    .startsWith(RseLine.write(RseEvents.numbered("ada", 1)));
        }

        @Test
        void makesTheFileOnlyWhenThereIsSomethingToWrite() throws IOException {
            try (JsonlRseLog log = open()) {
                assertThat(RseEvents.numbers(log)).isEmpty();
            }
            assertThat(file).doesNotExist();
        }

        /// Nobody forces what files prove, so that no force would end a pass either.
        @Test
        void whatFilesProveKeepsNobodyWaitingWhoSetsALock() throws IOException {
            AtomicInteger inside = new AtomicInteger();
            PolicyGuard guard =
                    () -> {
                        Pass pass = PolicyGuard.open().enter();
                        inside.incrementAndGet();
                        return new Pass() {
                            @Override
                            public Verdict check(Path path, Access access) {
                                return pass.check(path, access);
                            }

                            @Override
                            public void close() {
                                inside.decrementAndGet();
                            }
                        };
                    };
            try (JsonlRseLog log =
                    new JsonlRseLog(new GuardedFiles(new LocalDisk(), guard), file)) {
                log.append(RseEvents.numbered("ada", 1), Durability.PROVEN);
                assertThat(inside).hasValue(0);
                assertThat(RseEvents.numbers(log)).containsExactly(1L);
            }
        }

        @Test
        void keepsWhatWasThere() throws IOException {
            try (JsonlRseLog log = open()) {
                log.append(RseEvents.numbered("ada", 1), Durability.GROUPED);
            }
            try (JsonlRseLog log = open()) {
                log.append(RseEvents.numbered("ada", 2), Durability.GROUPED);
                assertThat(RseEvents.numbers(log)).containsExactly(1L, 2L);
            }
        }

        @Test
        void byManyThreadsLosesNothingAndMixesNothing() throws Exception {
            long threads = 8;
            int each = 200;
            try (JsonlRseLog log = open()) {
                var workers = new ArrayList<Thread>();
                var failures = new AtomicLong();
                for (int t = 0; t < threads; t++) {
                    long first = (long) t * each;
                    workers.add(
                            Thread.ofVirtual()
                                    .start(() -> {
                                        try {
                                            for (int i = 0; i < each; i++) {
                                                Durability durability =
                                                        i % 8 == 0
                                                                ? Durability.DISK
                                                                : Durability.GROUPED;
                                                log.append(
                                                        RseEvents.numbered(
                                                                "t", first + i, "x".repeat(i)),
                                                        durability);
                                            }
                                        } catch (IOException e) {
                                            failures.incrementAndGet();
                                        }
                                    }));
                }
                for (Thread worker : workers) {
                    worker.join();
                }
                assertThat(failures).hasValue(0);
                assertThat(RseEvents.numbers(log))
                        .containsExactlyInAnyOrderElementsOf(
                                LongStream.range(0, threads * each).boxed().toList());
            }
        }

        @Test
        void toAClosedLogFails() throws IOException {
            JsonlRseLog log = open();
            log.append(RseEvents.numbered("ada", 1), Durability.GROUPED);
            log.close();
            log.close();
            assertThatThrownBy(() -> log.append(RseEvents.numbered("ada", 2), Durability.GROUPED))
                    .isInstanceOf(IOException.class)
                    .hasMessageEndingWith("the log is closed");
        }

        @Test
        void survivesAnInterruptAndLeavesItToTheCaller() throws IOException {
            try (JsonlRseLog log = open()) {
                for (int i = 0; i < 50; i++) {
                    Thread.currentThread().interrupt();
                    log.append(
                            RseEvents.numbered("ada", i),
                            i % 2 == 0 ? Durability.DISK : Durability.GROUPED);
                    assertThat(Thread.interrupted()).isTrue();
                }
                assertThat(RseEvents.numbers(log)).hasSize(50);
            }
        }

        @Test
        void withInterruptsAtAnyMomentWritesEachEventOnce() throws Exception {
            int count = 2_000;
            try (JsonlRseLog log = open()) {
                var done = new AtomicLong();
                var failure = new ArrayList<Exception>();
                Thread writer =
                        Thread.ofPlatform()
                                .start(() -> {
                                    try {
                                        for (int i = 0; i < count; i++) {
                                            log.append(
                                                    RseEvents.numbered("ada", i),
                                                    i % 50 == 0
                                                            ? Durability.DISK
                                                            : Durability.GROUPED);
                                            done.incrementAndGet();
                                            Thread.interrupted();
                                        }
                                    } catch (IOException e) {
                                        failure.add(e);
                                    }
                                });
                // One interrupt an event, wherever in its append it hits.
                for (long seen = -1; writer.isAlive(); Thread.onSpinWait()) {
                    if (done.get() != seen) {
                        seen = done.get();
                        writer.interrupt();
                    }
                }
                assertThat(failure).isEmpty();
                assertThat(RseEvents.numbers(log))
                        .containsExactlyElementsOf(LongStream.range(0, count).boxed().toList());
            }
        }
    }

    @Nested
    class AfterAWriterDiedInTheMiddleOfALine {

        @Test
        void theNextWriterEndsItAndSpoilsNothing() throws IOException {
            write("{\"ts\":\"2025-10-15T17");
            try (JsonlRseLog log = open()) {
                log.append(RseEvents.numbered("ada", 1), Durability.DISK);
                List<RseEntry> entries = RseEvents.all(log, Cursor.START);
                assertThat(entries).hasSize(2);
                assertThat(entries.getFirst()).isInstanceOf(RseEntry.Bad.class);
                assertThat(RseEvents.number(entries.get(1))).isEqualTo(1);
            }
            assertThat(Files.readString(file)).startsWith("{\"ts\":\"2025-10-15T17\n{");
        }

        @Test
        void aWriterThatHasTheLogOpenEndsItToo() throws IOException {
            try (JsonlRseLog log = open()) {
                log.append(RseEvents.numbered("ada", 1), Durability.DISK);
                Files.writeString(file, "{\"ts\":\"2025-10-15T17", StandardOpenOption.APPEND);
                log.append(RseEvents.numbered("ada", 2), Durability.DISK);
                log.append(RseEvents.numbered("ada", 3), Durability.DISK);
                List<RseEntry> entries = RseEvents.all(log, Cursor.START);
                assertThat(entries).hasSize(4);
                assertThat(entries.get(1)).isInstanceOf(RseEntry.Bad.class);
                assertThat(entries.subList(2, 4))
                        .extracting(RseEvents::number)
                        .containsExactly(2L, 3L);
            }
        }

        @Test
        void aWholeEventWithoutItsLineEndIsStillRead() throws IOException {
            String line =
                    new String(RseLine.write(RseEvents.numbered("ada", 1)), StandardCharsets.UTF_8);
            write(line.strip());
            try (JsonlRseLog log = open()) {
                assertThat(RseEvents.numbers(log)).containsExactly(1L);
                log.append(RseEvents.numbered("ada", 2), Durability.DISK);
                assertThat(RseEvents.numbers(log)).containsExactly(1L, 2L);
            }
        }
    }

    @Nested
    class WhenTheFileIsTakenAway {

        @Test
        void anEventThatMustBeOnTheDiskGoesToANewFile() throws IOException {
            try (JsonlRseLog log = open()) {
                log.append(RseEvents.numbered("ada", 1), Durability.DISK);
                Files.move(file, folder.resolve("away.jsonl"));
                log.append(RseEvents.numbered("ada", 2), Durability.DISK);
                assertThat(RseEvents.numbers(log)).containsExactly(2L);
            }
        }

        @Test
        void otherEventsFollowSoon() throws IOException {
            try (JsonlRseLog log = open()) {
                log.append(RseEvents.numbered("ada", 1), Durability.GROUPED);
                Files.delete(file);
                long number = 2;
                // A force may make the file before an event does.
                while (!Files.exists(file) || RseEvents.numbers(log).isEmpty()) {
                    log.append(RseEvents.numbered("ada", number++), Durability.GROUPED);
                }
                assertThat(RseEvents.numbers(log)).first().isNotEqualTo(1L);
            }
        }
    }

    @Nested
    class WhereTheLogShouldBe {

        @Test
        void aFolderIsAnError() throws IOException {
            Files.createDirectories(file);
            try (JsonlRseLog log = open()) {
                assertThatThrownBy(() -> log.append(RseEvents.numbered("ada", 1), Durability.DISK))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("expected a file");
            }
        }

        @Test
        @DisabledOnOs(value = OS.WINDOWS, disabledReason = "links need a privilege there")
        void aLinkIsNotFollowed() throws IOException {
            Path elsewhere = folder.resolve("elsewhere");
            Files.createFile(elsewhere);
            Files.createDirectories(file.getParent());
            Files.createSymbolicLink(file, elsewhere);
            try (JsonlRseLog log = open()) {
                assertThatThrownBy(() -> log.append(RseEvents.numbered("ada", 1), Durability.DISK))
                        .isInstanceOf(IOException.class);
                assertThatThrownBy(() -> RseEvents.numbers(log)).isInstanceOf(IOException.class);
            }
            assertThat(elsewhere).isEmptyFile();
        }

        @Test
        @DisabledOnOs(value = OS.WINDOWS, disabledReason = "a folder has no pipes there")
        void aPipeHangsNobody() throws Exception {
            Files.createDirectories(file.getParent());
            assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
            try (JsonlRseLog log = open()) {
                assertThatThrownBy(() -> log.append(RseEvents.numbered("ada", 1), Durability.DISK))
                        .isInstanceOf(IOException.class);
                assertThatThrownBy(() -> RseEvents.numbers(log)).isInstanceOf(IOException.class);
            }
        }
    }
}
