package dev.pheromone.file.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.disk.LocalDisk;
import dev.pheromone.disk.PassingDisk;
import dev.pheromone.disk.Stat;
import dev.pheromone.file.RseEvents;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseLog.Durability;
import dev.pheromone.rse.RseReading;
import dev.pheromone.rse.RseScope;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

@Timeout(60)
class JsonlReadingTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir Path folder;
    private Path file;
    private JsonlRseLog log;

    @BeforeEach
    void openTheLog() {
        file = folder.resolve("rse.jsonl");
        log = new JsonlRseLog(new LocalDisk(), file);
    }

    @AfterEach
    void closeTheLog() throws IOException {
        log.close();
    }

    private void append(long... numbers) throws IOException {
        for (long number : numbers) {
            log.append(RseEvents.numbered("ada", number), Durability.GROUPED);
        }
    }

    private Cursor cursorAfter(int entries) throws IOException {
        try (RseReading reading = log.read(Cursor.START)) {
            for (int i = 0; i < entries; i++) {
                assertThat(reading.next()).isPresent();
            }
            return reading.cursor();
        }
    }

    private List<RseEntry> from(Cursor cursor) throws IOException {
        return RseEvents.all(log, cursor);
    }

    @Nested
    class ACursor {

        @Test
        void goesOnWhereItWasLeftEvenAsText() throws IOException {
            append(1, 2, 3);
            Cursor kept = Cursor.parse(cursorAfter(2).toString());
            log.close();
            log = new JsonlRseLog(new LocalDisk(), file);
            append(4);
            assertThat(from(kept)).extracting(RseEvents::number).containsExactly(3L, 4L);
        }

        @Test
        void atTheEndWaitsForMore() throws IOException {
            append(1);
            Cursor end = cursorAfter(1);
            assertThat(from(end)).isEmpty();
            append(2);
            assertThat(from(end)).extracting(RseEvents::number).containsExactly(2L);
        }

        @Test
        void inTheMiddleOfALineOfSeveralEventsRepeatsThatLine() throws IOException {
            Files.writeString(file, "[{\"type\":\"a\"},{\"type\":\"b\"}]\n{\"type\":\"c\"}\n");
            assertThat(from(cursorAfter(1))).hasSize(3);
            assertThat(from(cursorAfter(2))).hasSize(1);
        }

        /// Also where the bytes before it came in two reads, and while the log grows.
        @Test
        void isTheSameWhereverItsReaderCameFrom() throws IOException {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < 2_000; i++) {
                text.append("{\"type\":\"a\",\"data\":{\"n\":")
                        .append(i)
                        .append(",\"pad\":\"")
                        .append("x".repeat(i % 97))
                        .append("\"}}\n");
            }
            Files.writeString(file, text.substring(0, text.length() / 3));
            List<Cursor> onTheWay = new ArrayList<>();
            try (RseReading reading = log.read(Cursor.START)) {
                while (reading.next().isPresent()) {
                    onTheWay.add(reading.cursor());
                }
                Files.writeString(
                        file, text.substring(text.length() / 3), StandardOpenOption.APPEND);
                while (reading.next().isPresent()) {
                    onTheWay.add(reading.cursor());
                }
            }
            assertThat(onTheWay).hasSizeGreaterThan(1_900);
            for (Cursor cursor : onTheWay) {
                try (RseReading reading = log.read(cursor)) {
                    assertThat(reading.cursor()).isEqualTo(cursor);
                    assertThat(reading.next().filter(RseEntry.Restart.class::isInstance)).isEmpty();
                }
            }
        }

        @Test
        void isAtTheStartOfALogThatDoesNotExist() throws IOException {
            try (RseReading reading = log.read(Cursor.START)) {
                assertThat(reading.cursor()).isEqualTo(Cursor.START);
            }
        }

        @Test
        void canBeTakenFromAThreadThatWasInterrupted() throws IOException {
            append(1, 2);
            try (RseReading reading = log.read(Cursor.START)) {
                assertThat(reading.next()).isPresent();
                Thread.currentThread().interrupt();
                Cursor kept = reading.cursor();
                assertThat(Thread.interrupted()).isTrue();
                assertThat(from(kept)).extracting(RseEvents::number).containsExactly(2L);
            }
        }
    }

    @Nested
    class ALogThatIsNotTheOne {

        private Cursor kept;

        @BeforeEach
        void keepACursor() throws IOException {
            append(1, 2, 3);
            kept = cursorAfter(2);
            log.close();
            log = new JsonlRseLog(new LocalDisk(), file);
        }

        private void assertRestarted(String reason, int events) throws IOException {
            List<RseEntry> entries = from(kept);
            assertThat(entries.getFirst())
                    .isInstanceOfSatisfying(
                            RseEntry.Restart.class,
                            restart -> assertThat(restart.reason()).contains(reason));
            assertThat(entries).hasSize(1 + events);
        }

        @Test
        void becauseItWasCutShortIsReadFromItsBeginning() throws IOException {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(kept.offset() / 2);
            }
            assertRestarted("cut short", 1);
        }

        @Test
        void becauseItWasReplacedIsReadFromItsBeginning() throws IOException {
            Files.delete(file);
            for (int i = 0; i < 10; i++) {
                log.append(RseEvents.numbered("eve", i), Durability.GROUPED);
            }
            assertRestarted("replaced", 10);
        }

        @Test
        void becauseOneByteWasChangedIsReadFromItsBeginning() throws IOException {
            byte[] bytes = Files.readAllBytes(file);
            bytes[(int) kept.offset() - 10] ^= 1;
            Files.write(file, bytes);
            assertRestarted("replaced", 3);
        }

        @Test
        void becauseItIsGoneSaysSo() throws IOException {
            Files.delete(file);
            assertRestarted("gone", 0);
        }
    }

    @Nested
    class Following {

        /// Looks follow each other within milliseconds; what counts is that one is enough.
        @Test
        void seesAnEventAtTheFirstLookAfterItsAppend() throws Exception {
            append(0);
            var looks = new AtomicInteger();
            var disk =
                    new PassingDisk() {
                        @Override
                        public Optional<Stat> stat(Path path) throws IOException {
                            if (looks.incrementAndGet() == 5) {
                                append(1);
                            }
                            return super.stat(path);
                        }
                    };
            try (RseReading reading =
                    new JsonlReading(disk, file, null, Cursor.START, RseScope.ALL)) {
                assertThat(reading.next()).map(RseEvents::number).contains(0L);
                assertThat(reading.next(LONG)).map(RseEvents::number).contains(1L);
            }
            assertThat(looks).hasValue(5);
        }

        @Test
        void waitsForALogThatDoesNotExistYet() throws Exception {
            try (RseReading reading = log.read(Cursor.START)) {
                assertThat(reading.next()).isEmpty();
                append(1);
                assertThat(reading.next(LONG)).map(RseEvents::number).contains(1L);
            }
        }

        @Test
        void endsWhenTheTimeIsOver() throws IOException {
            append(1);
            try (RseReading reading = log.read(cursorAfter(1))) {
                assertThat(reading.next(Duration.ofMillis(5))).isEmpty();
            }
        }

        @Test
        void endsWhenItsThreadIsInterruptedAndCanGoOn() throws Exception {
            append(1);
            var waiting = new CountDownLatch(1);
            var after = new AtomicReference<List<RseEntry>>();
            Thread reader =
                    Thread.ofPlatform()
                            .start(() -> {
                                try (RseReading reading = log.read(Cursor.START)) {
                                    assertThat(reading.next()).isPresent();
                                    waiting.countDown();
                                    assertThat(reading.next(LONG)).isEmpty();
                                    assertThat(Thread.interrupted()).isTrue();
                                    append(2);
                                    after.set(RseEvents.rest(reading));
                                } catch (IOException e) {
                                    throw new java.io.UncheckedIOException(e);
                                }
                            });
            waiting.await();
            reader.interrupt();
            reader.join();
            assertThat(after.get()).extracting(RseEvents::number).containsExactly(2L);
        }

        @Test
        void holdsBackALineUntilItIsWhole() throws IOException {
            Files.writeString(file, "{\"type\":\"a\"}\n{\"type\":");
            try (RseReading reading = log.read(Cursor.START)) {
                assertThat(RseEvents.rest(reading)).hasSize(1);
                assertThat(reading.held()).isEqualTo(8);
                Files.writeString(file, "\"b\"}", StandardOpenOption.APPEND);
                assertThat(RseEvents.rest(reading)).hasSize(1);
                assertThat(reading.held()).isZero();
                Files.writeString(file, "\n{\"type\":\"c\"}\n", StandardOpenOption.APPEND);
                assertThat(RseEvents.rest(reading)).hasSize(1);
            }
        }

        @Test
        void noticesThatTheLogWasReplaced() throws IOException {
            append(1, 2);
            try (RseReading reading = log.read(Cursor.START)) {
                assertThat(RseEvents.rest(reading)).hasSize(2);
                Path next = folder.resolve("next");
                Files.write(
                        next,
                        Arrays.copyOf(Files.readAllBytes(file), (int) cursorAfter(1).offset()));
                Files.move(next, file, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
                List<RseEntry> entries = RseEvents.rest(reading);
                assertThat(entries).hasSize(2);
                assertThat(entries.getFirst()).isInstanceOf(RseEntry.Restart.class);
            }
        }

        @Test
        void noticesThatTheLogWasCutShort() throws IOException {
            append(1, 2);
            try (RseReading reading = log.read(Cursor.START)) {
                assertThat(RseEvents.rest(reading)).hasSize(2);
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    channel.truncate(cursorAfter(1).offset());
                }
                List<RseEntry> entries = RseEvents.rest(reading);
                assertThat(entries).hasSize(2);
                assertThat(entries.getFirst()).isInstanceOf(RseEntry.Restart.class);
            }
        }
    }
}
