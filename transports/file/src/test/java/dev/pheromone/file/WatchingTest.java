package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.HiveConfig;
import dev.pheromone.Inbox;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.InboxWatcher;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.copy.FileLimits;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.selection.Waiting;
import dev.pheromone.trust.TrustList;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// A reader that waits: the kernel's notices wake it, and what they miss is found all the same.
///
/// Nothing is listed by the clock here, so that only a notice, or the knowledge that one was lost,
/// can help.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class WatchingTest {

    /// More than the kernel interface keeps for a reader that is busy.
    private static final int TOO_MANY = 2_000;

    @TempDir Path root;
    private TestHive hive;
    private FileTransport transport;
    private Inbox inbox;

    @BeforeEach
    void watch() throws Exception {
        FileLimits usual = FileLimits.defaults();
        FileLimits noClock =
                new FileLimits(
                        usual.quietMin(),
                        usual.pauseBase(),
                        usual.pauseMax(),
                        usual.settledMin(),
                        Duration.ofDays(1),
                        Duration.ofMinutes(1),
                        usual.choresMax(),
                        usual.selectTriesMax());
        hive = new TestHive(root);
        transport = hive.open(new LocalDisk(), HiveConfig.defaults(), TrustList.empty(), noClock);
        inbox = transport.inbox(TestHive.CODE);
        // The first wait only begins to watch.
        inbox.await(Duration.ZERO);
        TestHive.assertNothing(inbox);
    }

    @AfterEach
    void close() throws IOException {
        transport.close();
    }

    /// Waits for notices until the inbox looks as expected: the kernel's reach us one after the
    /// other, on a busy machine with pauses in between.
    private void awaitWaiting(Predicate<List<? extends Waiting>> expected) throws Exception {
        for (int i = 0; i < 20 && !expected.test(inbox.waiting()); i++) {
            inbox.await(Duration.ofSeconds(1));
        }
        assertThat(inbox.waiting()).matches(expected);
    }

    private void writeElsewhere(Envelope envelope) throws IOException {
        hive.write(envelope, envelope.id() + ".md");
    }

    /// Without waiting for the kernel's notice of it.
    @Test
    void whatIsThereIsFoundAtOnce() throws Exception {
        for (int i = 0; i < 50; i++) {
            Envelope envelope = hive.mail().seal();
            writeElsewhere(envelope);
            assertThat(TestHive.take(inbox).envelope().id()).isEqualTo(envelope.id());
        }
    }

    @Test
    void aWaitEndsWhenMailArrives() throws Exception {
        CompletableFuture<Void> waiting =
                CompletableFuture.runAsync(() -> {
                    try {
                        inbox.await(Duration.ofMinutes(1));
                    } catch (IOException | InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                });
        writeElsewhere(hive.mail().seal());

        waiting.get(20, TimeUnit.SECONDS);
        awaitWaiting(mail -> mail.size() == 1);
        TestHive.take(inbox);
    }

    @Test
    void mailThatComesWhileNobodyWaitsIsNoticedToo() throws Exception {
        writeElsewhere(hive.mail().seal());
        awaitWaiting(waiting -> waiting.size() == 1);

        TestHive.take(inbox);
    }

    @Test
    void noticesThatOverflowLoseNothing() throws Exception {
        for (int i = 0; i < TOO_MANY; i++) {
            writeElsewhere(hive.mail().seal());
        }

        awaitWaiting(waiting -> waiting.size() == TOO_MANY);
    }

    @Test
    void aFolderThatIsRemovedAndComesBackIsWatchedAgain() throws Exception {
        Path folder = hive.layout.inbox(TestHive.CODE);
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
        inbox.await(Duration.ofSeconds(1));
        TestHive.assertNothing(inbox);
        transport.createInbox(TestHive.CODE);
        writeElsewhere(hive.mail().seal());

        Selection selection = new Selection.Nothing();
        for (int i = 0; i < 20 && !(selection instanceof Selection.Taken); i++) {
            inbox.await(Duration.ofSeconds(1));
            selection = inbox.select(TestHive.WORKER, TestHive.LEASE);
        }
        assertThat(selection).isInstanceOf(Selection.Taken.class);
    }

    @Test
    void whatOthersTakeOrGiveBackIsNoticed() throws Exception {
        transport.send(hive.mail().seal());
        try (FileTransport other = hive.open()) {
            Inbox same = other.inbox(TestHive.CODE);
            String token = TestHive.take(same).token();
            awaitWaiting(List::isEmpty);

            same.settle(token, new Outcome.Failed("not yet"));
            awaitWaiting(waiting ->
                    waiting.size() == 1
                            && waiting.getFirst() instanceof Waiting.Mail mail
                            && mail.attempt() == 2);
        }
        TestHive.assertNothing(inbox);
        hive.clock.advance(Duration.ofSeconds(11));
        assertThat(List.of(TestHive.take(inbox).attempt())).containsExactly(2);
    }

    @Test
    void watchEndsUnderALockAndBeginsAgain() throws Exception {
        GuardedFiles files = new GuardedFiles(new LocalDisk(), new LockFiles(hive.layout));
        Path folder = hive.layout.inbox(TestHive.CODE);
        try (InboxWatcher watcher = new InboxWatcher(files, folder)) {
            assertThat(watcher.isWatching()).isTrue();

            Files.createFile(LockFiles.hiveLock(hive.layout));
            assertThat(watcher.await(Duration.ofSeconds(30)).isIncomplete()).isTrue();
            assertThat(watcher.isWatching()).isFalse();
            watcher.poll();
            assertThat(watcher.isWatching()).isFalse();

            Files.delete(LockFiles.hiveLock(hive.layout));
            assertThat(watcher.await(Duration.ofSeconds(30)).isIncomplete()).isTrue();
            assertThat(watcher.isWatching()).isTrue();
            Path mail = Files.writeString(folder.resolve("x.md"), "x");
            assertThat(watcher.await(Duration.ofSeconds(30)).names()).contains(mail);
        }
    }

    @Test
    void nobodyBeginsToWatchUnderALock() throws Exception {
        Files.createFile(LockFiles.hiveLock(hive.layout));
        GuardedFiles files = new GuardedFiles(new LocalDisk(), new LockFiles(hive.layout));
        try (InboxWatcher watcher = new InboxWatcher(files, hive.layout.inbox(TestHive.CODE))) {
            assertThat(watcher.isWatching()).isFalse();
        }
    }
}
