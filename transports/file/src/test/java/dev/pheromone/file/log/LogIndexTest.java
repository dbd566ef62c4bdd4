package dev.pheromone.file.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.disk.PassingDisk;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseLog;
import dev.pheromone.rse.RseReading;
import dev.pheromone.rse.RseScope;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/// With an index, without, and with one that is not of this log: every reader gets the same.
@Timeout(120)
class LogIndexTest {

    private static final Instant START = Instant.parse("2026-03-01T00:00:00Z");
    private static final int SECONDS = 100_000;
    private static final Instant MIDDLE = START.plusSeconds(SECONDS / 2);

    @TempDir Path root;
    private HiveLayout layout;
    private long seed;
    private Random random;

    @BeforeEach
    void makeAHive() throws IOException {
        layout = new HiveLayout(root.toRealPath());
        Files.createDirectories(layout.telemetry());
        seed = Long.getLong("rsm.seed", System.nanoTime());
        random = new Random(seed);
    }

    /// A scope, and which events a reader with that scope makes something of.
    private record Question(RseScope scope, Predicate<RseEvent> isWanted) {}

    private List<Question> questions(Set<String> mail) {
        Set<String> ids = Set.of(id(3), id(700));
        Instant late = START.plusSeconds(SECONDS - SECONDS / 20);
        return List.of(
                new Question(RseScope.ALL, _ -> true),
                new Question(RseScope.ALL.since(late), event -> !event.ts().isBefore(late)),
                new Question(
                        RseScope.ALL.since(MIDDLE).until(MIDDLE.plusSeconds(60)),
                        event ->
                                !event.ts().isBefore(MIDDLE)
                                        && event.ts().isBefore(MIDDLE.plusSeconds(60))),
                new Question(
                        RseScope.ALL.ofTypes(Set.of("key_trust", "no_such_type")),
                        event -> event.type().equals("key_trust")),
                new Question(
                        RseScope.ALL.about(ids),
                        event -> event.about().filter(ids::contains).isPresent()),
                new Question(
                        RseScope.ALL.about(Set.of(id(700).substring(18))),
                        event ->
                                event.about()
                                        .filter(id -> id.endsWith(id(700).substring(18)))
                                        .isPresent()),
                new Question(RseScope.ALL.about(Set.of()), _ -> false),
                new Question(
                        RseScope.ALL.signalsAt(late),
                        event ->
                                event instanceof RseEvent.PheromoneDrop drop
                                        && drop.end().isAfter(late)
                                        && drop.about().filter(mail::contains).isEmpty()),
                new Question(
                        RseScope.ALL.withWordOf("the Rare-word"),
                        event ->
                                event.data().toString().toLowerCase(Locale.ROOT).contains("rare")));
    }

    private static String id(int number) {
        return "01M7QV1NFQSQK5WES6B5%06d".formatted(number);
    }

    /// Lines as they are found in logs that many wrote to: most of them events, in the order of
    /// their time or not, some not even text.
    private byte[] lines(int count, boolean inOrder) {
        return lines(count, inOrder, inOrder ? 100_000 : 400);
    }

    /// @param oddOf one line in so many is an odd one of its kind
    private byte[] lines(int count, boolean inOrder, int oddOf) {
        var log = new ByteArrayOutputStream();
        for (int i = 0; i < count; i++) {
            int second = inOrder ? (int) ((long) SECONDS * i / count) : random.nextInt(SECONDS);
            log.writeBytes(line(i, second, oddOf));
            log.write('\n');
        }
        return log.toByteArray();
    }

    private byte[] line(int number, int second, int oddOf) {
        String ts = "\"ts\":\"" + START.plusSeconds(second) + "\"";
        String id = id(random.nextInt(2_000));
        String padding = "x".repeat(random.nextInt(300));
        return switch (random.nextInt(oddOf)) {
            case 0 -> bytes("{\"type\":\"no_time\",\"data\":{\"id\":\"" + id + "\"}}");
            case 1 -> bytes("not an event");
            case 2 -> bytes(random.nextBoolean() ? "" : "  \r");
            case 3 -> {
                byte[] rubbish = new byte[random.nextInt(200)];
                random.nextBytes(rubbish);
                yield rubbish;
            }
            case 4 ->
                    bytes(
                            "[{%s,\"type\":\"a\",\"data\":{\"ref\":\"%s\"}},7,{%s,\"type\":\"b\"}]"
                                    .formatted(ts, id, ts));
            case 5 ->
                    random.nextInt(4) == 0
                            ? bytes("{" + ts + ",\"type\":\"huge\"," + " ".repeat(1_100_000) + "}")
                            : bytes("{\"ts\":" + START.getEpochSecond() + ",\"event\":\"odd\"}");
            case 6 -> bytes("{" + ts + ",\"type\":\"key_trust\",\"data\":{\"kid\":\"k\"}}");
            case 7 -> bytes("{" + ts + ",\"type\":\"note\",\"data\":{\"a\":\"R\\u0061re word\"}}");
            case 8 -> bytes("{" + ts + ",\"type\":\"note\",\"data\":{\"a\":\"a RARE thing\"}}");
            default ->
                    bytes(
                            switch (number % 4) {
                                case 0 ->
                                        "{%s,\"type\":\"pheromone_drop\",\"data\":{\"topic\":\"%s\",\"ref\":\"%s\",\"ttl\":\"%dm\"}}"
                                                .formatted(ts, padding, id, 1 + random.nextInt(90));
                                case 1 ->
                                        "{%s,\"type\":\"rsm_envelope_emit\",\"data\":{\"id\":\"%s\",\"p\":\"%s\"}}"
                                                .formatted(ts, id, padding);
                                case 2 ->
                                        "{%s,\"type\":\"unknown_%d\",\"actor\":\"ä\",\"data\":{\"p\":\"%s\"}}"
                                                .formatted(ts, random.nextInt(3), padding);
                                default ->
                                        "{%s,\"type\":\"worker_ack\",\"data\":{\"ref\":\"%s\",\"status\":\"done\"}}"
                                                .formatted(ts, id);
                            });
        };
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private Set<String> mailIn(Path log) throws IOException {
        Set<String> mail = new HashSet<>();
        for (RseEntry entry : entries(new JsonlRseLog(new LocalDisk(), log), RseScope.ALL)) {
            if (entry instanceof RseEntry.Read read
                    && read.event() instanceof RseEvent.RsmEnvelopeEmit) {
                read.event().about().ifPresent(mail::add);
            }
        }
        return mail;
    }

    private static List<RseEntry> entries(RseLog log, RseScope scope) throws IOException {
        List<RseEntry> entries = new ArrayList<>();
        try (RseReading reading = log.read(Cursor.START, scope)) {
            Optional<RseEntry> next = reading.next();
            for (; next.isPresent(); next = reading.next()) {
                entries.add(next.get());
            }
        }
        return entries;
    }

    /// What a reader makes of the log, and where it ends.
    private static List<String> answer(RseLog log, Cursor from, Question question)
            throws IOException {
        List<String> answer = new ArrayList<>();
        try (RseReading reading = log.read(from, question.scope())) {
            for (Optional<RseEntry> next = reading.next();
                    next.isPresent();
                    next = reading.next()) {
                if (!(next.get() instanceof RseEntry.Read read)
                        || question.isWanted().test(read.event())) {
                    answer.add(next.get().toString());
                }
            }
            answer.add(reading.cursor() + " " + reading.held());
        }
        return answer;
    }

    private RseLog indexed() {
        return JsonlRseLog.of(new LocalDisk(), layout);
    }

    private RseLog bare() {
        return new JsonlRseLog(new LocalDisk(), layout.log());
    }

    private void assertSameAnswers(String when) throws IOException {
        Set<String> mail = mailIn(layout.log());
        for (Question question : questions(mail)) {
            assertThat(answer(indexed(), Cursor.START, question))
                    .as("%s, %s, seed %d", when, question.scope(), seed)
                    .isEqualTo(answer(bare(), Cursor.START, question));
        }
    }

    private void makeIndex() throws IOException {
        assertThat(entries(indexed(), RseScope.ALL)).isNotEmpty();
        assertThat(layout.logIndex()).exists();
    }

    private void write(byte[] content) throws IOException {
        Files.write(layout.log(), content);
    }

    private void add(byte[] content) throws IOException {
        Files.write(layout.log(), content, StandardOpenOption.APPEND);
    }

    @Nested
    class EveryReaderGetsTheSame {

        @Test
        void ofALogInOrder() throws IOException {
            write(lines(8_000, true));
            assertSameAnswers("no index");
            assertThat(layout.logIndex()).exists();
            assertSameAnswers("an index");
            Files.delete(layout.logIndex());
            assertSameAnswers("a deleted index");
        }

        @Test
        void ofALogWithLinesOfAllKinds() throws IOException {
            write(lines(8_000, false));
            assertSameAnswers("no index");
            assertSameAnswers("an index");
        }

        @Test
        void fromAnyPlaceOn() throws IOException {
            write(lines(6_000, random.nextBoolean()));
            makeIndex();
            Set<String> mail = mailIn(layout.log());
            List<RseEntry> all = entries(bare(), RseScope.ALL);
            byte[] log = Files.readAllBytes(layout.log());
            for (int i = 0; i < 10; i++) {
                int offset = (int) all.get(random.nextInt(all.size())).offset();
                int window = Math.min(offset, Cursor.WINDOW_BYTES);
                Cursor from =
                        Cursor.at(
                                offset,
                                Arrays.copyOf(log, window),
                                Arrays.copyOfRange(log, offset - window, offset));
                for (Question question : questions(mail)) {
                    assertThat(answer(indexed(), from, question))
                            .as("from %s, %s, seed %d", from, question.scope(), seed)
                            .isEqualTo(answer(bare(), from, question));
                }
            }
        }

        @Test
        void ofALogThatGrewSinceTheIndexWasMade() throws IOException {
            write(lines(3_000, true));
            makeIndex();
            add(lines(3_000, false));
            assertSameAnswers("an index of the first half");
        }

        @Test
        void ofALogWhoseLastLineIsTorn() throws IOException {
            write(lines(4_000, true));
            byte[] last = line(1, SECONDS, 100_000);
            add(Arrays.copyOf(last, last.length - 2));
            assertSameAnswers("no index");
            assertSameAnswers("an index");
            add(bytes(" rubbish\n"));
            add(lines(2_000, true));
            assertSameAnswers("the torn line became another");
            assertSameAnswers("the index of that");
        }

        @Test
        void ofALogThatWasCutShort() throws IOException {
            byte[] content = lines(6_000, true);
            write(content);
            makeIndex();
            for (int i = 0; i < 3; i++) {
                write(Arrays.copyOf(content, random.nextInt(content.length)));
                assertSameAnswers("cut short");
            }
        }

        @Test
        void ofALogThatWasReplaced() throws IOException {
            byte[] content = lines(6_000, true);
            write(content);
            makeIndex();
            byte[] stored = Files.readAllBytes(layout.logIndex());
            Path other = root.resolve("other");
            Files.write(other, lines(6_000, true));
            Files.move(other, layout.log(), StandardCopyOption.REPLACE_EXISTING);
            assertSameAnswers("replaced");
            Files.write(layout.logIndex(), stored);
            assertSameAnswers("the index of another log");
        }

        @Test
        void whileItGrows() throws IOException {
            write(lines(3_000, true));
            makeIndex();
            try (RseReading reading =
                    indexed().read(Cursor.START, RseScope.ALL.since(START.plusSeconds(SECONDS)))) {
                while (reading.next().isPresent()) {
                    // To the end.
                }
                add(bytes("{\"ts\":\"" + START.plusSeconds(SECONDS) + "\",\"type\":\"new\"}\n"));
                assertThat(reading.next())
                        .get()
                        .extracting(entry -> ((RseEntry.Read) entry).event().type())
                        .isEqualTo("new");
            }
        }
    }

    @Nested
    class AnIndexThatCantBeUsed {

        @Test
        void becauseItIsCutAtAnyByteIsMadeAgain() throws IOException {
            write(lines(2_500, true));
            makeIndex();
            byte[] stored = Files.readAllBytes(layout.logIndex());
            Question late = questions(Set.of()).get(1);
            List<String> expected = answer(bare(), Cursor.START, late);
            for (int length = 0; length < stored.length; length += 1 + random.nextInt(200)) {
                Files.write(layout.logIndex(), Arrays.copyOf(stored, length));
                assertThat(answer(indexed(), Cursor.START, late))
                        .as("cut at %d, seed %d", length, seed)
                        .isEqualTo(expected);
                assertThat(layout.logIndex()).hasBinaryContent(stored);
            }
        }

        @Test
        void becauseAByteOfItIsWrongIsMadeAgain() throws IOException {
            write(lines(2_500, true));
            makeIndex();
            byte[] stored = Files.readAllBytes(layout.logIndex());
            for (int i = 0; i < 50; i++) {
                byte[] wrong = stored.clone();
                wrong[random.nextInt(wrong.length)] ^= (byte) (1 << random.nextInt(8));
                assertThat(LogIndex.parse(wrong)).as("seed %d", seed).isEmpty();
            }
        }

        @Test
        void becauseItIsLongerThanAnyIndexIsReplaced() throws IOException {
            write(lines(2_500, true));
            makeIndex();
            byte[] right = Files.readAllBytes(layout.logIndex());
            try (RandomAccessFile file = new RandomAccessFile(layout.logIndex().toFile(), "rw")) {
                file.setLength(65L * 1024 * 1024);
            }
            assertSameAnswers("too long");
            assertThat(layout.logIndex()).hasBinaryContent(right);
        }

        @Test
        void becauseItIsOfAnotherFormatIsReplaced() throws IOException {
            write(lines(2_500, true));
            Files.createDirectories(layout.states());
            Files.writeString(layout.logIndex(), "{\"format\":\"older\"}\n");
            assertSameAnswers("another format");
            assertThat(LogIndex.parse(Files.readAllBytes(layout.logIndex()))).isPresent();
        }

        @Test
        void becauseItLiesIsCorrectedByWhoeverReadsAll() throws IOException {
            byte[] content = lines(2_500, true);
            write(content);
            makeIndex();
            byte[] honest = Files.readAllBytes(layout.logIndex());
            LogIndex index = LogIndex.parse(honest).orElseThrow();
            // As if the first two blocks were one that has no events.
            LogBlock first = index.blocks().getFirst();
            List<LogBlock> blocks = new ArrayList<>(index.blocks());
            blocks.set(
                    0,
                    new LogBlock(
                            0,
                            first.end(),
                            true,
                            0,
                            START,
                            START,
                            null,
                            START,
                            first.types(),
                            first.keys()));
            new LogIndex(index.file(), index.end(), blocks)
                    .write(
                            new LocalDisk(),
                            layout.logIndex(),
                            new LocalDisk().stat(layout.log()).orElseThrow());
            assertThat(layout.logIndex()).binaryContent().isNotEqualTo(honest);
            makeIndex();
            assertThat(layout.logIndex()).hasBinaryContent(honest);
        }

        @Test
        void becauseNobodyCanWriteItChangesNothing() throws IOException {
            write(lines(2_500, true));
            var full =
                    new PassingDisk() {
                        @Override
                        public void create(Path file, byte[] content) throws IOException {
                            throw new IOException(file + ": no space left");
                        }
                    };
            for (Question question : questions(mailIn(layout.log()))) {
                assertThat(answer(JsonlRseLog.of(full, layout), Cursor.START, question))
                        .isEqualTo(answer(bare(), Cursor.START, question));
            }
            assertThat(layout.logIndex()).doesNotExist();
        }

        @Test
        void becauseItIsAFolderChangesNothing() throws IOException {
            write(lines(2_500, true));
            Files.createDirectories(layout.logIndex().resolve("in-the-way"));
            assertSameAnswers("a folder in its place");
        }

        @Test
        void becauseItsWriterDiedIsWrittenByALaterOne() throws IOException {
            write(lines(2_500, true));
            Files.createDirectories(layout.states());
            Path draft = layout.states().resolve(".log-index.new");
            Files.writeString(draft, "half an ind");
            assertSameAnswers("a draft in the way");
            Files.setLastModifiedTime(
                    layout.log(),
                    FileTime.from(Files.getLastModifiedTime(draft).toInstant().plusSeconds(300)));
            assertSameAnswers("an old draft in the way");
            assertThat(draft).doesNotExist();
            makeIndex();
        }
    }

    @Test
    void isMadeByManyAtOnce() throws Exception {
        write(lines(5_000, false));
        Set<String> mail = mailIn(layout.log());
        List<Question> questions = questions(mail);
        List<List<String>> expected = new ArrayList<>();
        for (Question question : questions) {
            expected.add(answer(bare(), Cursor.START, question));
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Callable<List<List<String>>>> readers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                readers.add(() -> {
                    List<List<String>> answers = new ArrayList<>();
                    for (Question question : questions) {
                        Files.deleteIfExists(layout.logIndex());
                        answers.add(answer(indexed(), Cursor.START, question));
                    }
                    return answers;
                });
            }
            for (Future<List<List<String>>> answers : threads.invokeAll(readers)) {
                assertThat(answers.get()).as("seed %d", seed).isEqualTo(expected);
            }
        }
        makeIndex();
        assertThat(LogIndex.parse(Files.readAllBytes(layout.logIndex()))).isPresent();
    }

    /// The bytes of the log that a reader reads.
    private long bytesRead(Question question) throws IOException {
        AtomicLong bytes = new AtomicLong();
        var counting =
                new PassingDisk() {
                    @Override
                    public Reader openRead(Path file) throws IOException {
                        Reader reader = super.openRead(file);
                        return new Reader() {
                            @Override
                            public int read(ByteBuffer into, long position) throws IOException {
                                int count = reader.read(into, position);
                                bytes.addAndGet(Math.max(0, count));
                                return count;
                            }

                            @Override
                            public long size() throws IOException {
                                return reader.size();
                            }

                            @Override
                            public void close() throws IOException {
                                reader.close();
                            }
                        };
                    }
                };
        List<String> _ = answer(JsonlRseLog.of((Disk) counting, layout), Cursor.START, question);
        return bytes.get();
    }

    @Test
    void sparesItsReadersWhatTheyDidNotAskFor() throws IOException {
        write(lines(12_000, true, Integer.MAX_VALUE));
        long length = Files.size(layout.log());
        Question late = questions(Set.of()).get(1);
        assertThat(length).isGreaterThan(6L * LogBlock.BYTES_MIN);
        assertThat(bytesRead(late)).isGreaterThanOrEqualTo(length);
        // The blocks in which that time lies, and the rest that is no block yet.
        assertThat(bytesRead(late)).isLessThan(3L * LogBlock.BYTES_MIN);
        Question rare = new Question(RseScope.ALL.ofTypes(Set.of("no_such_type")), _ -> false);
        assertThat(bytesRead(rare)).isLessThan(2L * LogBlock.BYTES_MIN);
        Question signals = questions(mailIn(layout.log())).get(7);
        assertThat(bytesRead(signals)).isLessThan(length / 2);
    }

    @Test
    void sparesWhoeverWantsTheLastOnesAllThatStandsBefore() throws IOException {
        write(lines(12_000, true, Integer.MAX_VALUE));
        List<RseEntry> all = entries(bare(), RseScope.ALL);
        makeIndex();
        List<RseEntry> last = entries(indexed(), RseScope.ALL.last(100));
        assertThat(last).hasSizeBetween(100, all.size() / 2);
        assertThat(all.subList(all.size() - last.size(), all.size())).isEqualTo(last);
        assertThat(bytesRead(new Question(RseScope.ALL.last(100), _ -> false)))
                .isLessThan(3L * LogBlock.BYTES_MIN);

        Instant until = ((RseEntry.Read) all.get(all.size() / 2)).event().ts();
        RseScope before = RseScope.ALL.until(until);
        Predicate<RseEntry> isBefore =
                entry -> ((RseEntry.Read) entry).event().ts().isBefore(until);
        List<RseEntry> wanted = entries(bare(), before).stream().filter(isBefore).toList();
        List<RseEntry> found =
                entries(indexed(), before.last(100)).stream().filter(isBefore).toList();
        assertThat(found).hasSizeBetween(100, wanted.size() - 1);
        assertThat(wanted.subList(wanted.size() - found.size(), wanted.size())).isEqualTo(found);
        assertThat(entries(indexed(), RseScope.ALL.last(1_000_000))).isEqualTo(all);
    }

    @Test
    void ofTheLastLinesOnlyTheEndIsRead() throws IOException {
        write(lines(12_000, true, Integer.MAX_VALUE));
        List<RseEntry> all = entries(bare(), RseScope.ALL);
        List<RseEntry> last = new ArrayList<>();
        Duration span = Duration.ofSeconds(SECONDS / 100);
        try (RseReading reading = indexed().readLast(span, Instant.MAX)) {
            Optional<RseEntry> next = reading.next();
            for (; next.isPresent(); next = reading.next()) {
                last.add(next.get());
            }
        }
        assertThat(last).hasSizeBetween(all.size() / 100, all.size() / 2);
        assertThat(all.subList(all.size() - last.size(), all.size())).isEqualTo(last);
        Instant since = ((RseEntry.Read) all.getLast()).event().ts().minus(span);
        assertThat(((RseEntry.Read) last.getFirst()).event().ts()).isBefore(since);
    }

    @Test
    void ofFewLinesIsNotWritten() throws IOException {
        write(lines(100, true));
        assertSameAnswers("a short log");
        assertThat(layout.logIndex()).doesNotExist();
    }
}
