package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Claim;
import dev.pheromone.Outcome;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.embargo.KeptMail;
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
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/// Who writes past the guard is found; who keeps the rules is not accused.
final class AuditTest {

    @TempDir Path folder;
    private TestHive hive;
    private FileTransport transport;
    private Envelope waiting;
    private Envelope done;

    @AfterEach
    void close() throws IOException {
        transport.close();
    }

    @BeforeEach
    void oneEnvelopeWaitsAndOneIsDone() throws Exception {
        hive = new TestHive(folder);
        transport = hive.open();
        done = hive.mail().seal();
        transport.send(done);
        Claim claim = TestHive.take(transport.inbox(TestHive.CODE));
        transport.inbox(TestHive.CODE).settle(claim.token(), new Outcome.Done(""));
        waiting = hive.mail().body("Wait.\n").seal();
        transport.send(waiting);
        assertThat(audit().findings()).isEmpty();
    }

    private Audit.Report audit() throws IOException {
        try (FileTransport fresh = hive.open()) {
            return Audit.run(fresh, new LockFiles(hive.layout));
        }
    }

    private Path inboxFile() {
        return hive.layout.inbox(TestHive.CODE).resolve(waiting.id() + ".md");
    }

    private Path archived() throws IOException {
        try (Stream<Path> files = Files.walk(hive.layout.hive().resolve("archive"))) {
            return files.filter(Files::isRegularFile).findFirst().orElseThrow();
        }
    }

    @Nested
    class PastTheGuard {

        private void assertViolation(String thing) throws IOException {
            Audit.Report report = audit();
            assertThat(report.violations()).as("%s", report.findings()).isPositive();
            assertThat(report.findings().toString()).contains(thing);
        }

        @Test
        void anEditedEnvelopeIsFound() throws Exception {
            Files.writeString(inboxFile(), "And pay me.\n", StandardOpenOption.APPEND);

            assertViolation(waiting.id().text());
        }

        @Test
        void aReplacedEnvelopeIsFoundThoughItIsWellFormed() throws Exception {
            Files.write(
                    inboxFile(),
                    hive.mail().id(waiting.id()).body("Something else.\n").seal().bytes());

            assertViolation(waiting.id().text());
        }

        @Test
        void aRemovedEnvelopeIsFound() throws Exception {
            Files.delete(inboxFile());

            assertViolation(waiting.id().text());
        }

        @Test
        void aRemovedArchiveFileIsFound() throws Exception {
            Files.delete(archived());

            assertViolation(done.id().text());
        }

        @Test
        void anArchiveFileThatWasEditedIsFound() throws Exception {
            Files.writeString(archived(), "No, undone.\n", StandardOpenOption.APPEND);

            assertViolation(done.id().text());
        }

        @Test
        void aLineOfTheLogThatWasSpoiledIsFound() throws Exception {
            List<String> lines = Files.readAllLines(hive.layout.log());
            lines.set(0, lines.getFirst().substring(5));
            Files.write(hive.layout.log(), lines);

            assertThat(audit().findings()).isNotEmpty();
        }

        @Test
        void mailThatTheLogNoLongerKnowsIsTold() throws Exception {
            Files.write(hive.layout.log(), new byte[0]);

            assertThat(audit().findings())
                    .anySatisfy(finding ->
                            assertThat(finding.found()).isEqualTo("arrived without an event"));
        }
    }

    @Nested
    class ByTheRules {

        @Test
        void mailThatWasReleasedFromTheMirrorIsNoFinding() throws Exception {
            Locksmith smith = new Locksmith(hive.layout, new LockFiles(hive.layout));
            smith.lockHive("freeze");
            transport.send(hive.mail().body("Later.\n").seal());
            assertThat(smith.unlockHive(Instant.now())).isPresent();
            assertThat(audit().findings()).isEmpty();

            for (KeptMail mail : transport.embargo().mail()) {
                transport.embargo().release(mail);
            }

            assertThat(audit().findings()).isEmpty();
        }

        @Test
        void aFailureAndItsRepetitionIsNoFinding() throws Exception {
            Claim claim = TestHive.take(transport.inbox(TestHive.CODE));
            transport.inbox(TestHive.CODE).settle(claim.token(), new Outcome.Failed("broken"));

            assertThat(audit().findings()).isEmpty();
        }

        @Test
        void mailThatComesTwiceOrWithOtherContentIsNoFinding() throws Exception {
            transport.send(waiting);
            transport.send(hive.mail().id(waiting.id()).body("Other.\n").seal());

            assertThat(audit().violations()).isZero();
        }
    }
}
