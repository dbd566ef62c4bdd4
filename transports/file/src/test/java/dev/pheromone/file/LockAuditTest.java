package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.setup.Finding;
import dev.pheromone.guard.LockKind;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.lock.Locksmith;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// What was done under a lock, past the guard, is found: when the lock is lifted, or before where
/// it may be read.
final class LockAuditTest {

    @TempDir private Path root;
    private TestHive hive;
    private FileTransport transport;
    private Locksmith smith;
    private Path docs;

    @BeforeEach
    void makeHive() throws Exception {
        hive = new TestHive(root);
        transport = hive.open();
        smith = new Locksmith(hive.layout, new LockFiles(hive.layout));
        docs = Files.createDirectory(hive.layout.root().resolve("docs"));
        Files.writeString(docs.resolve("spec.md"), "one\n");
        Files.writeString(docs.resolve("other.md"), "two\n");
    }

    @AfterEach
    void close() throws IOException {
        transport.close();
    }

    /// What an audit calls violations.
    private List<String> violations() throws Exception {
        List<String> found = new ArrayList<>();
        try (FileTransport fresh = hive.open()) {
            for (Finding finding : Audit.run(fresh, new LockFiles(hive.layout)).findings()) {
                if (finding.severity() == Finding.Severity.ERROR) {
                    found.add(finding.thing() + ": " + finding.found());
                }
            }
        }
        return found;
    }

    private static List<String> told(Locksmith.Lifted lifted) {
        return lifted.breaches().stream()
                .map(breach -> breach.path() + ": " + breach.change())
                .toList();
    }

    private void lock(LockKind kind, String pattern) throws Exception {
        assertThat(smith.lock(kind, pattern, "", null).isQuiet()).isTrue();
    }

    @Nested
    class OnTheHive {

        private Envelope waiting;
        private Path mail;

        @BeforeEach
        void lockIt() throws Exception {
            waiting = hive.mail().seal();
            transport.send(waiting);
            mail = hive.layout.mail(TestHive.CODE, waiting.id());
            assertThat(smith.lockHive("freeze").isQuiet()).isTrue();
        }

        private List<String> lifted() throws Exception {
            return told(smith.unlockHive(Instant.now()).orElseThrow());
        }

        @Test
        void nothingIsFoundWhereNobodyDidAnything() throws Exception {
            assertThat(lifted()).isEmpty();
            assertThat(violations()).isEmpty();
        }

        @Test
        void aChangedHeaderIsFound() throws Exception {
            String text = Files.readString(mail);
            Files.writeString(mail, text.replace("priority: P2", "priority: P0"));
            assertThat(Files.readString(mail)).isNotEqualTo(text);

            assertThat(lifted()).containsExactly(hive.layout.nameOf(mail) + ": changed");
        }

        @Test
        void whatCameAndWhatWentIsFound() throws Exception {
            Path forged = mail.resolveSibling("forged.md");
            Files.writeString(forged, "x");
            Files.delete(mail);

            assertThat(lifted())
                    .containsExactlyInAnyOrder(
                            hive.layout.nameOf(forged) + ": came",
                            hive.layout.nameOf(mail) + ": gone");
        }

        @Test
        void aListThatWasTakenAwayIsFound() throws Exception {
            lifted();
            lock(LockKind.DNR, "secret.txt");
            smith.lockHive("again");
            Path list;
            try (var lists = Files.list(hive.layout.hive().resolve("do-not-read"))) {
                list = lists.findFirst().orElseThrow();
            }
            Files.delete(list);

            assertThat(lifted()).containsExactly(hive.layout.nameOf(list) + ": gone");
        }

        @Test
        void whatHappensUnderALockOfSomebodyElseIsNotHeldAgainstAnOldRecord() throws Exception {
            Files.delete(LockFiles.hiveLock(hive.layout));
            transport.send(hive.mail().seal());
            Files.createFile(LockFiles.hiveLock(hive.layout));

            assertThat(lifted()).isEmpty();
        }
    }

    @Nested
    class AgainstAltering {

        @BeforeEach
        void lockThem() throws Exception {
            lock(LockKind.DO_NOT_ALTER, "docs/**");
            assertThat(violations()).isEmpty();
        }

        @Test
        void anEditIsFoundWhileItIsInForceAndWhenItIsLifted() throws Exception {
            Files.writeString(docs.resolve("spec.md"), "six\n");

            assertThat(violations())
                    .containsExactly("docs/spec.md: changed under lock do-not-alter");
            assertThat(told(smith.unlock(LockKind.DO_NOT_ALTER, "docs/**", Instant.now())))
                    .containsExactly("docs/spec.md: changed");
            assertThat(hive.layout.embargo().resolve("locked")).isEmptyDirectory();
        }

        @Test
        void whatCameAndWhatWentIsFound() throws Exception {
            Files.createDirectory(docs.resolve("new"));
            Files.writeString(docs.resolve("new/page.md"), "x");
            Files.delete(docs.resolve("other.md"));

            assertThat(violations())
                    .containsExactly(
                            "docs/new/page.md: came under lock do-not-alter",
                            "docs/other.md: gone under lock do-not-alter");
        }

        @Test
        void theSameContentIsNoFinding() throws Exception {
            Files.delete(docs.resolve("spec.md"));
            Files.writeString(docs.resolve("spec.md"), "one\n");

            assertThat(violations()).isEmpty();
        }

        @Test
        void whatAnotherLockHidesIsNotLookedAt() throws Exception {
            lock(LockKind.DNR, "docs/other.md");
            Files.writeString(docs.resolve("other.md"), "six\n");

            assertThat(violations()).isEmpty();
            assertThat(told(smith.unlock(LockKind.DNR, "docs/other.md", Instant.now())))
                    .containsExactly("docs/other.md: changed");
            assertThat(violations()).hasSize(1);
        }
    }

    @Test
    void ofALargeFileSizeTimesAndInodeTell() throws Exception {
        Path large = docs.resolve("large.bin");
        byte[] content = new byte[9 * 1024 * 1024];
        Files.write(large, content);
        lock(LockKind.DO_NOT_ALTER, "docs/large.bin");
        assertThat(violations()).isEmpty();

        FileTime modified = Files.getLastModifiedTime(large);
        content[0] = 1;
        Files.write(large, content);
        Files.setLastModifiedTime(large, modified);

        assertThat(violations()).containsExactly("docs/large.bin: changed under lock do-not-alter");
    }

    @Test
    void underALockAgainstErasingMoreIsAllowedAndLessIsNot() throws Exception {
        lock(LockKind.DO_NOT_ERASE, "docs/**");
        Files.writeString(docs.resolve("spec.md"), "more\n", StandardOpenOption.APPEND);
        Files.writeString(docs.resolve("new.md"), "x");
        assertThat(violations()).isEmpty();

        Files.writeString(docs.resolve("spec.md"), "another one\n");
        assertThat(violations()).containsExactly("docs/spec.md: changed under lock do-not-erase");
        Files.writeString(docs.resolve("spec.md"), "");
        Files.delete(docs.resolve("other.md"));
        assertThat(violations())
                .containsExactly(
                        "docs/other.md: gone under lock do-not-erase",
                        "docs/spec.md: changed under lock do-not-erase");
    }

    @Nested
    class AgainstReading {

        private final FileTime longAgo = FileTime.fromMillis(946_684_800_000L);
        private Path secret;

        @BeforeEach
        void lockIt() throws Exception {
            secret = docs.resolve("spec.md");
            Files.getFileAttributeView(secret, BasicFileAttributeView.class)
                    .setTimes(longAgo, longAgo, null);
            lock(LockKind.DNR, "docs/spec.md");
        }

        @Test
        void theContentIsNotReadForTheRecord() throws Exception {
            assertThat(violations()).isEmpty();

            assertThat(Files.readAttributes(secret, BasicFileAttributes.class).lastAccessTime())
                    .isEqualTo(longAgo);
        }

        @Test
        void aChangeIsFoundWhenItIsLifted() throws Exception {
            Files.writeString(secret, "six\n");
            Files.setLastModifiedTime(secret, longAgo);

            assertThat(violations()).isEmpty();
            assertThat(told(smith.unlock(LockKind.DNR, "docs/spec.md", Instant.now())))
                    .containsExactly("docs/spec.md: changed");
        }

        @Test
        void theRecordItselfMayNotBeReadMeanwhile() {
            LockFiles guard = new LockFiles(hive.layout);

            assertThat(guard.isHidden(hive.layout.embargo().resolve("locked/x.jsonl"))).isTrue();
            assertThat(guard.isHidden(hive.layout.embargo().resolve("inbox"))).isFalse();
        }
    }
}
