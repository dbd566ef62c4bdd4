package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.Claim;
import dev.pheromone.HiveConfig;
import dev.pheromone.Inbox;
import dev.pheromone.InboxOverview;
import dev.pheromone.Outcome;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Lane;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.PassingDisk;
import dev.pheromone.envelope.Ask;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeDraft;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.file.copy.FileLimits;
import dev.pheromone.file.inbox.Preview;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.selection.Waiting;
import dev.pheromone.trust.TrustList;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.zip.CRC32;

/// The headers that readers keep of an inbox: they spare later processes the opening of every file,
/// and change no answer.
final class KeptHeadersTest {

    private static final int MANY = 200;

    @TempDir Path root;
    private TestHive hive;
    private Path kept;

    @BeforeEach
    void fill() throws IOException {
        hive = new TestHive(root);
        kept = hive.layout.headers(TestHive.CODE);
        // The first to keep headers makes it, and so changes the folder once more.
        Files.createDirectories(kept.getParent());
        for (int i = 0; i < MANY; i++) {
            write(mail(i));
        }
    }

    private EnvelopeDraft mail(int i) {
        EnvelopeDraft draft = plainMail(i);
        if (i % 5 == 0) {
            draft.ask(new Ask(List.of("yes", "no"), false, "no", null, List.of()));
        }
        if (i % 6 == 0) {
            draft.answer("yes");
        }
        return draft;
    }

    private EnvelopeDraft plainMail(int i) {
        return Envelope.draft(
                        Actor.parse("agent-" + i % 7),
                        hive.mail().seal().to(),
                        Lane.parse(i % 3 == 0 ? "Ops" : "Übung"),
                        "part " + i + " – für alle")
                .ts(hive.clock.instant().minusSeconds(i % 50))
                .ttl(Ttl.parse(i % 2 == 0 ? "1d" : "PT90M"))
                .priority(Priority.values()[i % 4])
                .body("Run " + i + ".\n");
    }

    private Envelope write(EnvelopeDraft draft) throws IOException {
        Envelope envelope = draft.seal();
        hive.write(envelope, envelope.id() + HiveLayout.MAIL_SUFFIX);
        return envelope;
    }

    /// As if the folders had been at rest for a while: their times are the kernel's, which no test
    /// can set, so the listing is moved instead.
    private void letItSettle() throws IOException {
        byte[] bytes = Files.readAllBytes(kept);
        ByteBuffer content = ByteBuffer.wrap(bytes);
        content.putLong(bytes.length - 16, -Duration.ofSeconds(60).toNanos());
        CRC32 sum = new CRC32();
        sum.update(bytes, 0, bytes.length - 8);
        content.putLong(bytes.length - 8, sum.getValue());
        Files.write(kept, bytes);
    }

    /// Counts the files that are opened, as a process that has just started.
    private static final class CountingDisk extends PassingDisk {
        private final Set<Path> opened = new HashSet<>();
        private int listings;

        @Override
        public Optional<Peek> peek(Path file, int sizeMax, IntFunction<byte[]> room)
                throws IOException {
            opened.add(file);
            return super.peek(file, sizeMax, room);
        }

        @Override
        public byte[] read(Path file, int bytesMax) throws IOException {
            opened.add(file);
            return super.read(file, bytesMax);
        }

        @Override
        public List<Path> list(Path folder) throws IOException {
            listings += folder.endsWith("inbox/code") ? 1 : 0;
            return super.list(folder);
        }

        long mailOpened() {
            return opened.stream()
                    .filter(file -> file.toString().contains("/inbox/code/"))
                    .filter(file -> file.toString().endsWith(HiveLayout.MAIL_SUFFIX))
                    .count();
        }
    }

    private interface Question<T> {
        T ask(Inbox inbox) throws Exception;
    }

    private <T> T ask(Disk disk, Question<T> question) throws Exception {
        try (FileTransport transport =
                hive.open(disk, HiveConfig.defaults(), TrustList.empty(), FileLimits.defaults())) {
            return question.ask(transport.inbox(TestHive.CODE));
        }
    }

    private List<Waiting> waiting() throws Exception {
        return ask(new CountingDisk(), Inbox::waiting);
    }

    /// All that a reader can be told, in an order of its own where none is promised.
    private record Answers(List<Waiting> mail, Set<Waiting> others, InboxOverview overview) {}

    private Answers answers() throws Exception {
        List<Waiting> all = waiting();
        return new Answers(
                all.stream().filter(Waiting.Mail.class::isInstance).toList(),
                new HashSet<>(all.stream().filter(Waiting.Bad.class::isInstance).toList()),
                ask(new CountingDisk(), Inbox::overview));
    }

    private Answers answersWithout() throws Exception {
        Files.deleteIfExists(kept);
        List<Waiting> all = waiting();
        Files.deleteIfExists(kept);
        InboxOverview overview = ask(new CountingDisk(), Inbox::overview);
        Files.deleteIfExists(kept);
        return new Answers(
                all.stream().filter(Waiting.Mail.class::isInstance).toList(),
                new HashSet<>(all.stream().filter(Waiting.Bad.class::isInstance).toList()),
                overview);
    }

    private void writeEverySort() throws IOException {
        Path inbox = hive.layout.inbox(TestHive.CODE);
        write(mail(1).ttl(Ttl.parse("1s")).ts(hive.clock.instant().minusSeconds(3_600)));
        write(mail(2).ts(hive.clock.instant().plusSeconds(3_600)));
        write(mail(3).ts(hive.clock.instant().plus(Duration.ofDays(400))));
        Envelope named = mail(4).seal();
        hive.write(named, "a name of its own.md");
        byte[] torn = mail(5).seal().bytes();
        Files.write(inbox.resolve("torn.md"), Arrays.copyOf(torn, torn.length - 3));
        Files.write(inbox.resolve("torn-header.md"), Arrays.copyOf(torn, 40));
        Files.writeString(inbox.resolve("malformed.md"), "no mail at all\n");
        Files.write(inbox.resolve("empty.md"), new byte[0]);
        Files.createDirectory(inbox.resolve("folder.md"));
        Files.createSymbolicLink(inbox.resolve("link.md"), inbox.resolve("torn.md"));
        Files.writeString(inbox.resolve("notes.txt"), "not mail\n");
        Path unreadable = Files.writeString(inbox.resolve("unreadable.md"), "?");
        Files.setPosixFilePermissions(unreadable, PosixFilePermissions.fromString("---------"));
    }

    @Nested
    class AreUsed {

        @Test
        void soThatASecondProcessOpensNothing() throws Exception {
            List<Waiting> first = waiting();
            CountingDisk disk = new CountingDisk();

            assertThat(ask(disk, Inbox::waiting)).isEqualTo(first);
            assertThat(disk.mailOpened()).isZero();
            assertThat(disk.listings).isEqualTo(1);
        }

        @Test
        void andTheFolderIsNotEvenListedAtRest() throws Exception {
            List<Waiting> first = waiting();
            letItSettle();
            CountingDisk disk = new CountingDisk();

            assertThat(ask(disk, Inbox::waiting)).isEqualTo(first);
            assertThat(disk.mailOpened()).isZero();
            assertThat(disk.listings).isZero();
        }

        @Test
        void soThatFiguresOpenOnlyWhatIsNext() throws Exception {
            InboxOverview first = ask(new CountingDisk(), Inbox::overview);
            CountingDisk disk = new CountingDisk();

            assertThat(ask(disk, Inbox::overview)).isEqualTo(first);
            assertThat(disk.mailOpened()).isEqualTo(1);
        }

        @Test
        void soThatASelectionOpensOnlyWhatItTakes() throws Exception {
            List<Waiting> first = waiting();
            CountingDisk disk = new CountingDisk();

            Claim claim = ask(disk, TestHive::take);
            assertThat(claim.envelope().id())
                    .isEqualTo(((Waiting.Mail) first.getFirst()).header().id());
            assertThat(disk.mailOpened()).isEqualTo(1);
        }

        @Test
        void soThatOnlyNewNamesAreOpened() throws Exception {
            waiting();
            letItSettle();
            Envelope late = write(mail(1));
            CountingDisk disk = new CountingDisk();

            assertThat(ask(disk, Inbox::waiting)).hasSize(MANY + 1);
            assertThat(disk.mailOpened()).isEqualTo(1);
            assertThat(disk.opened).contains(hive.layout.mail(TestHive.CODE, late.id()));
        }

        @Test
        void byAWorkerThatStaysToo() throws Exception {
            List<Waiting> first = waiting();
            CountingDisk disk = new CountingDisk();
            List<String> taken = new ArrayList<>();
            try (FileTransport transport = hive.open(disk)) {
                Inbox inbox = transport.inbox(TestHive.CODE);
                inbox.await(Duration.ZERO);
                for (int i = 0; i < 100; i++) {
                    taken.add(TestHive.take(inbox).envelope().id().text());
                }
            }
            assertThat(disk.mailOpened()).isEqualTo(100);
            // Every fourth turn takes what is due; the others go by the order that was shown.
            assertThat(taken)
                    .contains(((Waiting.Mail) first.getFirst()).header().id().text())
                    .doesNotHaveDuplicates();
        }

        @Test
        void byAWorkerThatListsTheFolderAgain() throws Exception {
            waiting();
            CountingDisk disk = new CountingDisk();
            try (FileTransport transport = hive.open(disk)) {
                Inbox inbox = transport.inbox(TestHive.CODE);
                inbox.await(Duration.ZERO);
                TestHive.take(inbox);
                hive.clock.advance(Duration.ofMinutes(5));
                TestHive.take(inbox);
            }
            assertThat(disk.mailOpened()).isLessThan(10);
        }

        @Test
        void bySomebodyWhoAsksAgainToo() throws Exception {
            List<Waiting> first = waiting();
            CountingDisk disk = new CountingDisk();
            try (FileTransport transport = hive.open(disk)) {
                Inbox inbox = transport.inbox(TestHive.CODE);
                assertThat(inbox.waiting()).isEqualTo(first);
                assertThat(inbox.waiting()).isEqualTo(first);
            }
            assertThat(disk.mailOpened()).isZero();
        }

        @Test
        void onlyWhereThatPaysOff() throws Exception {
            try (var files = Files.list(hive.layout.inbox(TestHive.CODE))) {
                for (Path file : files.filter(Files::isRegularFile).skip(20).toList()) {
                    Files.delete(file);
                }
            }
            assertThat(waiting()).hasSize(20);
            assertThat(kept).doesNotExist();
        }
    }

    @Nested
    class ChangeNoAnswer {

        @BeforeEach
        void writeAll() throws IOException {
            writeEverySort();
        }

        @Test
        void whetherTheyAreThereOrNot() throws Exception {
            Answers without = answersWithout();
            waiting();
            assertThat(answers()).isEqualTo(without);
            letItSettle();
            assertThat(answers()).isEqualTo(without);
        }

        @Test
        void whenTheFileIsCutOrChangedAtAnyByte() throws Exception {
            Answers without = answersWithout();
            waiting();
            letItSettle();
            byte[] whole = Files.readAllBytes(kept);
            for (int length = 0; length < whole.length; length += 1 + whole.length / 23) {
                Files.write(kept, Arrays.copyOf(whole, length));
                assertThat(answers()).as("cut at %d", length).isEqualTo(without);
                byte[] flipped = whole.clone();
                flipped[length] ^= 0x20;
                Files.write(kept, flipped);
                assertThat(answers()).as("changed at %d", length).isEqualTo(without);
            }
        }

        @Test
        void whenAnotherProgramWroteTheFileWithARightSum() throws Exception {
            Answers without = answersWithout();
            waiting();
            letItSettle();
            byte[] whole = Files.readAllBytes(kept);
            for (int at = 20; at < whole.length - 16; at += 1 + whole.length / 41) {
                byte[] other = whole.clone();
                for (int i = at; i < Math.min(at + 4, whole.length - 16); i++) {
                    other[i] = (byte) 0xff;
                }
                CRC32 sum = new CRC32();
                sum.update(other, 0, other.length - 8);
                ByteBuffer.wrap(other).putLong(other.length - 8, sum.getValue());
                Files.write(kept, other);
                // What it says is shown; nothing breaks, and nothing that is taken is wrong.
                assertThat(waiting()).as("changed at %d", at).isNotEmpty();
            }
            Files.delete(kept);
            assertThat(answers()).isEqualTo(without);
        }

        @Test
        void whenAnOlderFormatIsThere() throws Exception {
            Answers without = answersWithout();
            Files.createDirectories(kept.getParent());
            Files.writeString(kept, "pheromone headers 0\n[]\n");
            assertThat(answers()).isEqualTo(without);
        }

        @Test
        void whenSomethingElseHasTheName() throws Exception {
            Answers without = answersWithout();
            Files.createDirectories(kept);
            assertThat(answers()).isEqualTo(without);
            Files.delete(kept);
            Files.delete(kept.getParent());
            assertThat(answers()).isEqualTo(without);
            Files.delete(kept);
            Files.delete(kept.getParent());
            Files.writeString(kept.getParent(), "in the way");
            assertThat(answers()).isEqualTo(without);
        }

        @Test
        void whenTheFileIsOutOfDate() throws Exception {
            waiting();
            letItSettle();
            byte[] old = Files.readAllBytes(kept);
            ask(new CountingDisk(), TestHive::take);
            write(mail(9));
            Files.write(kept, old);
            Answers with = answers();
            assertThat(with).isEqualTo(answersWithout());
        }

        @Test
        void whenMailCameBackAfterAFailure() throws Exception {
            waiting();
            letItSettle();
            byte[] old = Files.readAllBytes(kept);
            ask(
                    new CountingDisk(),
                    inbox -> inbox.settle(TestHive.take(inbox).token(), new Outcome.Failed("no")));
            Files.write(kept, old);
            assertThat(answers()).isEqualTo(answersWithout());
            ask(
                    new CountingDisk(),
                    inbox -> inbox.settle(TestHive.take(inbox).token(), new Outcome.Failed("no")));
            assertThat(answers()).isEqualTo(answersWithout());
        }

        @Test
        void whenTheFolderIsReplaced() throws Exception {
            waiting();
            letItSettle();
            Path inbox = hive.layout.inbox(TestHive.CODE);
            Path away = inbox.resolveSibling("away");
            Files.move(inbox, away);
            Files.createDirectories(kept.getParent());
            Files.createDirectories(hive.layout.drafts(TestHive.CODE));
            Files.move(away.resolve(".index/headers"), kept, StandardCopyOption.ATOMIC_MOVE);
            write(mail(7));
            assertThat(answers()).isEqualTo(answersWithout());
        }

        @Test
        void whenManyKeepThemAtOnce() throws Exception {
            Answers without = answersWithout();
            try (ExecutorService readers = Executors.newFixedThreadPool(4)) {
                List<Callable<Answers>> asks = new ArrayList<>();
                for (int i = 0; i < 12; i++) {
                    boolean removes = i % 4 == 3;
                    asks.add(() -> {
                        if (removes) {
                            Files.deleteIfExists(kept);
                        }
                        return answers();
                    });
                }
                for (Future<Answers> answer : readers.invokeAll(asks)) {
                    assertThat(answer.get()).isEqualTo(without);
                }
            }
        }

        @Test
        void whenTheyCanNotBeWritten() throws Exception {
            Answers without = answersWithout();
            Disk full =
                    new PassingDisk() {
                        @Override
                        public Appender openAppend(Path file) throws IOException {
                            if (file.toString().contains("headers.")) {
                                throw new IOException("no space left on device");
                            }
                            return super.openAppend(file);
                        }
                    };
            assertThat(new HashSet<>(ask(full, Inbox::waiting)))
                    .containsAll(without.mail())
                    .containsAll(without.others());
            assertThat(kept).doesNotExist();
        }

        @Test
        void norTheNextOne() throws Exception {
            waiting();
            letItSettle();
            for (int i = 0; i < 40; i++) {
                byte[] old = Files.exists(kept) ? Files.readAllBytes(kept) : new byte[0];
                Files.deleteIfExists(kept);
                Preview expected = preview().orElseThrow();
                Files.write(kept, old);
                assertThat(preview()).contains(expected);
                assertThat(ask(new CountingDisk(), TestHive::take).envelope().id())
                        .isEqualTo(expected.mail().header().id());
            }
        }

        private Optional<Preview> preview() throws Exception {
            try (FileTransport transport = hive.open()) {
                return transport.picking(TestHive.CODE).preview();
            }
        }
    }

    @Nested
    class DecideNothing {

        private Path first() throws Exception {
            return root.toRealPath().resolve(waiting().getFirst().location());
        }

        @Test
        void aFileThatWasReplacedIsTakenAsItIs() throws Exception {
            Path file = first();
            letItSettle();
            Envelope other = mail(3).priority(Priority.P3).seal();
            Files.write(file, other.bytes());

            List<String> topics = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                topics.add(ask(new CountingDisk(), TestHive::take).envelope().id().text());
            }
            assertThat(topics).contains(other.id().text()).doesNotHaveDuplicates();
            assertThat(topics.getFirst()).isNotEqualTo(other.id().text());
        }

        @Test
        void aFileThatWasReplacedIsNotExpiredByItsOldHeader() throws Exception {
            Envelope old = write(mail(1).ttl(Ttl.parse("1h")));
            waiting();
            letItSettle();
            hive.clock.advance(Duration.ofMinutes(61));
            Envelope young =
                    Envelope.draft(old.from(), old.to(), old.lane(), "again")
                            .ts(hive.clock.instant())
                            .ttl(Ttl.parse("3h"))
                            .body("Run.\n")
                            .seal();
            Files.write(hive.layout.mail(TestHive.CODE, old.id()), young.bytes());

            ask(new CountingDisk(), TestHive::take);
            assertThat(waiting())
                    .filteredOn(Waiting.Mail.class::isInstance)
                    .extracting(item -> ((Waiting.Mail) item).header().id())
                    .contains(young.id());
        }

        @Test
        void doctorFindsAFileThatWasReplaced() throws Exception {
            Path file = first();
            letItSettle();
            Files.write(file, mail(3).seal().bytes());
            try (FileTransport transport = hive.open()) {
                assertThat(transport.upkeep().wrongHeaders()).hasSize(1);
                assertThat(transport.upkeep().dropWrongHeaders()).hasSize(1);
                assertThat(transport.upkeep().wrongHeaders()).isEmpty();
            }
            assertThat(kept).doesNotExist();
        }

        @Test
        void doctorFindsNothingWrongWithThoseThatAreRight() throws Exception {
            waiting();
            write(mail(5));
            Files.delete(first());
            try (FileTransport transport = hive.open()) {
                assertThat(transport.upkeep().wrongHeaders()).isEmpty();
                assertThat(transport.upkeep().dropWrongHeaders()).isEmpty();
            }
            assertThat(kept).exists();
        }
    }

    @Nested
    class UnderALock {

        private void lock(String pattern) throws IOException {
            Path folder = Files.createDirectories(hive.layout.hive().resolve("do-not-read"));
            Files.writeString(folder.resolve("test.yaml"), pattern);
        }

        private String entry(String path) {
            return "- path_pattern: \"" + path + "\"\n";
        }

        @Test
        void ofTheInboxNothingIsShownOfThem() throws Exception {
            waiting();
            letItSettle();
            lock(entry(".deia/inbox/code/**"));
            assertWithheld();
        }

        @Test
        void ofOneFileNothingIsShownAndTheFileGoes() throws Exception {
            Path file = root.toRealPath().resolve(waiting().getLast().location());
            letItSettle();
            lock(entry(".deia/inbox/code/" + file.getFileName()));
            assertWithheld();
            assertThat(kept).doesNotExist();
        }

        private void assertWithheld() {
            for (Question<?> question : List.<Question<?>>of(Inbox::waiting, Inbox::overview)) {
                assertThatThrownBy(() -> ask(new CountingDisk(), question))
                        .isInstanceOf(WithheldException.class);
            }
        }

        @Test
        void ofAnotherPlaceTheyAreUsed() throws Exception {
            List<Waiting> first = waiting();
            letItSettle();
            lock(entry("src/**"));
            CountingDisk disk = new CountingDisk();
            assertThat(ask(disk, Inbox::waiting)).isEqualTo(first);
            assertThat(disk.mailOpened()).isZero();
        }
    }

    @Test
    void areForTheirOwnerAlone() throws Exception {
        waiting();
        assertThat(Files.getPosixFilePermissions(kept))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }
}
