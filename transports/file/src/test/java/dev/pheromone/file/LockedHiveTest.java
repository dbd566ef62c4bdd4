package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Outcome;
import dev.pheromone.Receipt;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.embargo.KeptMail;
import dev.pheromone.file.embargo.KeptOutcomes;
import dev.pheromone.file.embargo.MissingInbox;
import dev.pheromone.guard.LockKind;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.lock.LockLists;
import dev.pheromone.rse.RseEvent;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;

/// What becomes of mail and of work in progress when people set locks.
final class LockedHiveTest {

    private static final Address BRANDNEW = Address.parse("queen://brandnew");

    @TempDir Path root;
    private TestHive hive;
    private FileTransport transport;
    private Inbox inbox;

    @BeforeEach
    void open() throws Exception {
        hive = new TestHive(root);
        transport = hive.open();
        inbox = transport.inbox(TestHive.CODE);
    }

    @AfterEach
    void close() throws IOException {
        transport.close();
    }

    private void lock() throws IOException {
        Files.createFile(LockFiles.hiveLock(hive.layout));
    }

    private void unlock() throws IOException {
        Files.delete(LockFiles.hiveLock(hive.layout));
    }

    private void list(LockKind kind, String... patterns) throws IOException {
        Path folder = Files.createDirectories(hive.layout.hive().resolve(LockLists.folder(kind)));
        StringBuilder yaml = new StringBuilder();
        for (String pattern : patterns) {
            yaml.append("- path_pattern: \"").append(pattern).append("\"\n");
        }
        Files.writeString(folder.resolve("test.yaml"), yaml);
    }

    private SendResult send(Envelope envelope) throws Exception {
        return transport.send(envelope).copies().getFirst().result();
    }

    private List<String> mirrored() throws IOException {
        return transport.embargo().mail().stream().map(KeptMail::location).toList();
    }

    private List<String> mirrorEvents() throws IOException {
        return Files.exists(hive.layout.mirrorLog())
                ? Files.readAllLines(hive.layout.mirrorLog())
                : List.of();
    }

    @Nested
    final class WhileTheHiveIsLocked {

        @Test
        void mailWaitsInTheMirrorAndIsReleasedOnce() throws Exception {
            lock();
            Envelope envelope = hive.mail().seal();

            assertThat(send(envelope))
                    .isInstanceOfSatisfying(
                            SendResult.Withheld.class,
                            withheld ->
                                    assertThat(withheld.embargo())
                                            .isEqualTo(
                                                    ".embargo/inbox/queen-code/"
                                                            + envelope.id()
                                                            + ".md"));
            assertThat(send(envelope)).isInstanceOf(SendResult.Withheld.class);
            assertThat(mirrored()).hasSize(1);

            unlock();
            KeptMail kept = transport.embargo().mail().getFirst();
            assertThat(transport.embargo().release(kept).copies().getFirst().result())
                    .isInstanceOf(SendResult.Delivered.class);
            assertThat(mirrored()).isEmpty();
            assertThat(hive.events("embargo_release")).hasSize(1);
            assertThat(TestHive.take(inbox).envelope().id()).isEqualTo(envelope.id());
        }

        @Test
        void aReleaseThatDiedBeforeItArchivedYieldsADuplicate() throws Exception {
            lock();
            Envelope envelope = hive.mail().seal();
            send(envelope);
            unlock();
            KeptMail kept = transport.embargo().mail().getFirst();
            transport.send(envelope);

            assertThat(transport.embargo().release(kept).copies().getFirst().result())
                    .isInstanceOf(SendResult.Duplicate.class);
            assertThat(mirrored()).isEmpty();
            assertThat(TestHive.states(transport)).containsExactly(State.WAITING);
        }

        @Test
        void anotherEnvelopeOfThatIdIsAConflictAndStays() throws Exception {
            lock();
            Envelope envelope = hive.mail().seal();
            send(envelope);
            unlock();
            transport.send(hive.mail().id(envelope.id()).body("other\n").seal());

            assertThat(
                            transport
                                    .embargo()
                                    .release(transport.embargo().mail().getFirst())
                                    .copies()
                                    .getFirst()
                                    .result())
                    .isInstanceOf(SendResult.Conflict.class);
            assertThat(mirrored()).hasSize(1);
        }

        @Test
        void oneFileIsKeptForSeveralRecipientsAndAllGetTheirs() throws Exception {
            lock();
            Envelope envelope =
                    hive.mail(List.of(Address.parse("queen://code"), Address.parse("queen://ops")))
                            .seal();
            Receipt receipt = transport.send(envelope);
            assertThat(receipt.copies()).hasSize(2);
            assertThat(mirrored()).hasSize(1);

            unlock();
            transport.createInbox(Address.parse("queen://ops").domain());
            assertThat(transport.embargo().release(transport.embargo().mail().getFirst()).copies())
                    .hasSize(2)
                    .allSatisfy(copy ->
                            assertThat(copy.result()).isInstanceOf(SendResult.Delivered.class));
        }

        @Test
        void whatWasForOneInboxGoesToThatOneAlone() throws Exception {
            Domain ops = Domain.parse("ops");
            transport.createInbox(ops);
            Envelope envelope =
                    hive.mail(List.of(Address.parse("queen://code"), ops.address())).seal();
            lock();
            assertThat(transport.send(envelope, ops).copies())
                    .extracting(Receipt.Copy::inbox)
                    .containsExactly(ops);
            assertThat(mirrored())
                    .containsExactly(".embargo/inbox/only-ops/" + envelope.id() + ".md");

            unlock();
            assertThat(transport.embargo().release(transport.embargo().mail().getFirst()).copies())
                    .extracting(Receipt.Copy::inbox)
                    .containsExactly(ops);
            assertThat(mirrored()).isEmpty();
            assertThat(transport.catalog().all(TestHive.CODE)).isEmpty();
            assertThat(transport.catalog().all(ops)).hasSize(1);
        }

        @Test
        void anInboxThatWasToBeMadeIsMadeAtTheRelease() throws Exception {
            lock();
            Envelope envelope = hive.mail(List.of(BRANDNEW)).seal();
            Receipt receipt = transport.send(envelope, MissingInbox.IS_MADE);
            assertThat(receipt.copies().getFirst().result())
                    .isInstanceOf(SendResult.Withheld.class);
            assertThat(mirrored()).hasSize(1);

            unlock();
            assertThat(transport.domains()).doesNotContain(BRANDNEW.domain());
            assertThat(
                            transport
                                    .embargo()
                                    .release(transport.embargo().mail().getFirst())
                                    .copies()
                                    .getFirst()
                                    .result())
                    .isInstanceOf(SendResult.Delivered.class);
            assertThat(transport.domains()).contains(BRANDNEW.domain());
            assertThat(hive.layout.mirrorInboxes().resolve("queen-brandnew/.create"))
                    .isEmptyDirectory();
        }

        @Test
        void aProcessThatBeginsUnderTheLockSendsToTheMirrorAndGoesOnAfterIt() throws Exception {
            lock();
            try (FileTransport late = hive.openReally()) {
                assertThat(late.isWithheld()).isTrue();
                assertThat(late.send(hive.mail().seal()).copies().getFirst().result())
                        .isInstanceOf(SendResult.Withheld.class);
                unlock();
                assertThat(late.send(hive.mail().seal()).copies().getFirst().result())
                        .isInstanceOf(SendResult.Delivered.class);
                assertThat(late.isWithheld()).isFalse();
            }
        }

        @Test
        void takingSaysWithheldAndTellsOnceInTheMirrorsLog() throws Exception {
            transport.send(hive.mail().seal());
            lock();
            for (int i = 0; i < 3; i++) {
                assertThat(inbox.select(TestHive.WORKER, TestHive.LEASE))
                        .isInstanceOf(Selection.Withheld.class);
            }
            assertThat(mirrorEvents())
                    .singleElement()
                    .asString()
                    .contains("policy_guard", "\"mode\":\"blocked\"", "\"source\":\"rotg-2\"");

            hive.clock.advance(Duration.ofMinutes(61));
            inbox.select(TestHive.WORKER, TestHive.LEASE);
            assertThat(mirrorEvents()).hasSize(2);

            unlock();
            assertThat(TestHive.take(inbox)).isNotNull();
            assertThat(hive.events("policy_guard"))
                    .hasSize(3)
                    .last()
                    .extracting(event -> event.data().toString())
                    .asString()
                    .contains("\"over\":true");
            assertThat(mirrorEvents()).isEmpty();
        }

        @Test
        void whoKeepsTheHiveInOrderTellsEachLockAndItsEnd() throws Exception {
            for (int freeze = 1; freeze <= 2; freeze++) {
                lock();
                transport.report(
                        catchThrowableOfType(
                                WithheldException.class, transport.upkeep()::housekeep));
                unlock();
                transport.upkeep().housekeep();
                assertThat(hive.events("policy_guard"))
                        .hasSize(2 * freeze)
                        .last()
                        .extracting(event -> event.data().toString())
                        .asString()
                        .contains("\"over\":true");
            }
        }

        @Test
        void anOutcomeIsKeptAndAppliedBeforeAnybodyTakesAnything() throws Exception {
            Envelope envelope = hive.mail().seal();
            transport.send(envelope);
            Claim claim = TestHive.take(inbox);
            lock();

            assertThat(inbox.settle(claim.token(), new Outcome.Done("merged")))
                    .isInstanceOfSatisfying(
                            Settlement.Withheld.class,
                            withheld ->
                                    assertThat(withheld.embargo())
                                            .isEqualTo(".embargo/outcome/code/" + claim.token()));
            // Whatever is said later does not count.
            inbox.settle(claim.token(), new Outcome.Failed("no"));

            unlock();
            hive.clock.advance(Duration.ofHours(2));
            TestHive.assertNothing(inbox);
            assertThat(TestHive.states(transport)).containsExactly(State.DONE);
            assertThat(hive.events("worker_ack"))
                    .singleElement()
                    .extracting(event -> event.data().toString())
                    .asString()
                    .contains("merged", "done");
        }

        @Test
        void anOutcomeOfAnUnknownInboxFindsItsClaim() throws Exception {
            transport.send(hive.mail().seal());
            Claim claim = TestHive.take(inbox);
            new KeptOutcomes(hive.files(), hive.layout)
                    .keep(
                            null,
                            claim.token(),
                            new Outcome.Failed("no"),
                            TestHive.WORKER,
                            hive.clock.instant());

            transport.embargo().bringHome();

            assertThat(TestHive.states(transport)).containsExactly(State.WAITING);
            assertThat(hive.events("worker_ack"))
                    .singleElement()
                    .extracting(RseEvent::actor)
                    .isEqualTo(TestHive.WORKER.name());
        }

        @Test
        void noLeaseEndsBeforeOneLeaseAfterTheLifting() throws Exception {
            transport.send(hive.mail().seal());
            Claim claim = TestHive.take(inbox);
            lock();
            hive.clock.advance(TestHive.LEASE.duration().multipliedBy(3));
            Files.setLastModifiedTime(
                    LockFiles.hiveLock(hive.layout), FileTime.from(hive.clock.instant()));
            unlock();
            Files.setLastModifiedTime(hive.layout.hive(), FileTime.from(hive.clock.instant()));

            TestHive.assertNothing(inbox);
            hive.clock.advance(TestHive.LEASE.duration().minusSeconds(1));
            TestHive.assertNothing(inbox);
            assertThat(inbox.settle(claim.token(), new Outcome.Done(""))).isEqualTo(TestHive.DONE);
        }
    }

    @Nested
    final class WhileOnlySomethingIsLocked {

        @Test
        void mailForALockedInboxWaitsInTheMirrorAndOtherMailGoes() throws Exception {
            list(LockKind.DO_NOT_ALTER, ".deia/inbox/code/**");

            assertThat(send(hive.mail().seal())).isInstanceOf(SendResult.Withheld.class);
            assertThat(mirrored()).hasSize(1);
            transport.createInbox(Address.parse("queen://ops").domain());
            assertThat(send(hive.mail(List.of(Address.parse("queen://ops"))).seal()))
                    .isInstanceOf(SendResult.Delivered.class);
            assertThat(hive.events("policy_guard")).hasSizeGreaterThanOrEqualTo(1);
        }

        @Test
        void mailForTwoIsWithheldWholeIfOneOfThemIsLocked() throws Exception {
            transport.createInbox(Address.parse("queen://ops").domain());
            list(LockKind.DO_NOT_ALTER, ".deia/inbox/ops/**");

            Receipt receipt =
                    transport.send(
                            hive.mail(
                                            List.of(
                                                    Address.parse("queen://code"),
                                                    Address.parse("queen://ops")))
                                    .seal());

            assertThat(receipt.copies())
                    .allSatisfy(copy ->
                            assertThat(copy.result()).isInstanceOf(SendResult.Withheld.class));
            assertThat(TestHive.states(transport)).isEmpty();
        }

        @Test
        void anInboxThatMayNotBeReadHasNoMirrorEither() throws Exception {
            list(LockKind.DNR, ".deia/inbox/code/**");

            assertThat(send(hive.mail().seal()))
                    .isInstanceOfSatisfying(
                            SendResult.Withheld.class,
                            withheld -> assertThat(withheld.embargo()).isEmpty());
            assertThat(mirrored()).isEmpty();
        }

        @Test
        void anInboxUnderDoNotEraseLetsMailInAndNotOut() throws Exception {
            list(LockKind.DO_NOT_ERASE, ".deia/inbox/code/**");

            assertThat(send(hive.mail().seal())).isInstanceOf(SendResult.Delivered.class);
            assertThat(inbox.select(TestHive.WORKER, TestHive.LEASE))
                    .isInstanceOf(Selection.Withheld.class);
        }

        @Test
        void aListThatNobodyUnderstandsLocksEverything() throws Exception {
            Path folder = Files.createDirectories(hive.layout.hive().resolve("do-not-erase"));
            Files.writeString(folder.resolve("broken.yaml"), "- path_pattern: [");

            assertThat(send(hive.mail().seal()))
                    .isInstanceOfSatisfying(
                            SendResult.Withheld.class,
                            withheld -> {
                                assertThat(withheld.lock().kind()).isEqualTo(LockKind.DNR);
                                assertThat(withheld.embargo()).isEmpty();
                            });
        }
    }
}
