package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Actor;
import dev.pheromone.Address;
import dev.pheromone.Claim;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.EnvelopeDraft;
import dev.pheromone.EnvelopeId;
import dev.pheromone.Inbox;
import dev.pheromone.Lane;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Receipt;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.Ttl;

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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// The races and windows that the file protocol closes, each at its worst moment.
final class RaceTest {

    private static final Domain CODE = Domain.parse("code");
    private static final Actor WORKER = Actor.parse("claude-7f3a");
    private static final Lease LEASE = Lease.unattended(Duration.ofMinutes(1));
    private static final Settlement DONE =
            new Settlement.Settled(State.DONE, Settlement.Confirmation.ON_DISK);

    @TempDir Path root;
    private TestHive hive;
    private FileTransport transport;
    private Inbox inbox;

    @BeforeEach
    void open() throws Exception {
        hive = new TestHive(root);
        transport = hive.open();
        inbox = transport.inbox(CODE);
    }

    @AfterEach
    void close() throws IOException {
        transport.close();
    }

    private EnvelopeDraft mail() {
        return Envelope.draft(
                        Actor.parse("ada"),
                        List.of(Address.parse("queen://code")),
                        Lane.CODE,
                        "race")
                .ts(hive.clock.instant())
                .body("Run.\n");
    }

    /// Puts a file into the inbox as a program that knows nothing of us would.
    private void write(Envelope envelope, String name) throws IOException {
        Files.write(hive.layout.inbox(CODE).resolve(name), envelope.bytes());
    }

    private static Claim take(Inbox inbox) throws IOException {
        Selection selection = inbox.select(WORKER, LEASE);
        assertThat(selection).isInstanceOf(Selection.Taken.class);
        return ((Selection.Taken) selection).claim();
    }

    private static void assertNothing(Inbox inbox) throws IOException {
        assertThat(inbox.select(WORKER, LEASE)).isEqualTo(new Selection.Nothing());
    }

    private List<State> states() throws IOException {
        return transport.catalog().all(CODE).stream().map(Catalog.Item::state).sorted().toList();
    }

    @Nested
    class Leases {

        @Test
        void aClaimOnOldMailIsNotOverAtOnce() throws Exception {
            Envelope envelope = mail().seal();
            write(envelope, "old.md");
            Files.setLastModifiedTime(
                    hive.layout.inbox(CODE).resolve("old.md"),
                    FileTime.from(hive.clock.instant().minus(Duration.ofDays(2))));
            Claim claim = take(inbox);

            assertNothing(inbox);
            assertThat(inbox.settle(claim.token(), new Outcome.Done(""))).isEqualTo(DONE);
        }

        @Test
        void mailDatedAheadByItsFileCannotHoldItsLeaseForEver() throws Exception {
            write(mail().seal(), "ahead.md");
            Files.setLastModifiedTime(
                    hive.layout.inbox(CODE).resolve("ahead.md"),
                    FileTime.from(hive.clock.instant().plus(Duration.ofDays(10))));
            Claim claim = take(inbox);
            hive.clock.advance(LEASE.duration().plusSeconds(1));
            assertNothing(inbox);

            assertThat(inbox.settle(claim.token(), new Outcome.Done("")))
                    .isInstanceOf(Settlement.Lost.class);
        }

        @Test
        void aLeaseLostBetweenLookAndCommitCannotBeAcknowledged() throws Exception {
            transport.send(mail().seal());
            Claim slow = take(inbox);
            InterposedDisk disk =
                    new InterposedDisk(
                            what -> what.startsWith("link") && what.contains("/seen/"),
                            () -> {
                                hive.clock.advance(LEASE.duration().plusSeconds(1));
                                assertNothing(inbox);
                            });
            try (FileTransport late = hive.open(disk)) {
                assertThat(late.inbox(CODE).settle(slow.token(), new Outcome.Done("")))
                        .isInstanceOf(Settlement.Lost.class);
                assertThat(disk.isPlayed()).isTrue();
                assertThat(late.inbox(CODE).settle(slow.token(), new Outcome.Done("")))
                        .isInstanceOf(Settlement.Lost.class);
            }
            hive.clock.advance(Duration.ofMinutes(1));
            assertThat(inbox.settle(take(inbox).token(), new Outcome.Done(""))).isEqualTo(DONE);
            assertThat(states()).containsExactly(State.DONE);
        }

        @Test
        void aReaperThatComesJustAfterTheCommitFinishesInsteadOfReturning() throws Exception {
            transport.send(mail().seal());
            Claim claim = take(inbox);
            InterposedDisk disk =
                    new InterposedDisk(
                            what -> what.startsWith("rename") && what.contains("/.return/"),
                            // The holder gets as far as the commit, and dies.
                            () ->
                                    new SeenSet(new LocalDisk(), hive.layout)
                                            .commit(
                                                    CODE,
                                                    claim.envelope().id(),
                                                    claim.envelope().hash(),
                                                    hive.layout
                                                            .active(CODE)
                                                            .resolve(claim.token() + ".md")));
            hive.clock.advance(LEASE.duration().plusSeconds(1));
            try (FileTransport reaping = hive.open(disk)) {
                assertNothing(reaping.inbox(CODE));
                assertThat(disk.isPlayed()).isTrue();
            }
            hive.clock.advance(Duration.ofMinutes(30));
            assertNothing(inbox);
            assertThat(states()).containsExactly(State.DONE);
        }

        @Test
        void anAttendedClaimEndsWithItsProcess() throws Exception {
            transport.send(mail().seal());
            Claim claim;
            try (FileTransport worker = hive.open()) {
                claim =
                        ((Selection.Taken)
                                        worker.inbox(CODE)
                                                .select(
                                                        WORKER,
                                                        Lease.attended(Duration.ofMinutes(1))))
                                .claim();
                assertNothing(inbox);
                assertThat(transport.catalog().active(CODE)).hasSize(1);
            }
            assertNothing(inbox);
            assertThat(states()).containsExactly(State.WAITING);
            assertThat(inbox.settle(claim.token(), new Outcome.Done("")))
                    .isInstanceOf(Settlement.Lost.class);
        }

        @Test
        void twoReapersReturnAClaimOnce() throws Exception {
            transport.send(mail().seal());
            take(inbox);
            InterposedDisk disk =
                    new InterposedDisk(
                            what -> what.startsWith("rename") && what.contains("/.return/"),
                            () -> assertNothing(inbox));
            hive.clock.advance(LEASE.duration().plusSeconds(1));
            try (FileTransport second = hive.open(disk)) {
                assertNothing(second.inbox(CODE));
                assertThat(disk.isPlayed()).isTrue();
            }
            assertThat(hive.events("rsm_envelope_return")).hasSize(1);
            hive.clock.advance(Duration.ofMinutes(1));
            assertThat(take(inbox).attempt()).isEqualTo(2);
        }
    }

    @Nested
    class TheSameMailAgain {

        @Test
        void whatIsWrittenAgainWhileItIsWorkedOnIsPutAside() throws Exception {
            Envelope envelope = mail().seal();
            transport.send(envelope);
            Claim claim = take(inbox);
            write(envelope, "again.md");

            assertNothing(inbox);
            assertThat(states()).containsExactly(State.ACTIVE, State.DUPLICATE);
            assertThat(inbox.settle(claim.token(), new Outcome.Done(""))).isEqualTo(DONE);
            assertThat(hive.events("worker_ack")).hasSize(1);
        }

        @Test
        void otherContentUnderTheIdOfActiveMailIsAConflictAndHarmsNothing() throws Exception {
            EnvelopeId id = EnvelopeId.random(hive.clock.instant());
            transport.send(mail().id(id).seal());
            Claim claim = take(inbox);
            write(mail().id(id).body("Something else.\n").seal(), "other.md");
            assertNothing(inbox);
            assertThat(states()).containsExactly(State.ACTIVE, State.CONFLICT);

            inbox.settle(claim.token(), new Outcome.Released(""));
            assertThat(inbox.settle(take(inbox).token(), new Outcome.Done(""))).isEqualTo(DONE);
        }

        @Test
        void aReturnOntoMailThatWasSentAgainLeavesOne() throws Exception {
            Envelope envelope = mail().seal();
            transport.send(envelope);
            Claim claim = take(inbox);
            write(envelope, envelope.id() + ".md");

            inbox.settle(claim.token(), new Outcome.Released(""));
            assertThat(states()).containsExactly(State.WAITING, State.DUPLICATE);
            assertThat(inbox.settle(take(inbox).token(), new Outcome.Done(""))).isEqualTo(DONE);
            assertNothing(inbox);
        }

        @Test
        void aReturnOntoOtherMailOfTheSameIdKeepsBoth() throws Exception {
            EnvelopeId id = EnvelopeId.random(hive.clock.instant());
            transport.send(mail().id(id).seal());
            Claim claim = take(inbox);
            write(mail().id(id).body("Something else.\n").seal(), id + ".md");

            inbox.settle(claim.token(), new Outcome.Failed(""));
            assertThat(states()).containsExactly(State.WAITING, State.CONFLICT);
        }

        @Test
        void twoSendersOfOneIdHaveOneWinner() throws Exception {
            EnvelopeId id = EnvelopeId.random(hive.clock.instant());
            Envelope first = mail().id(id).seal();
            Envelope second = mail().id(id).body("Something else.\n").seal();
            InterposedDisk disk =
                    new InterposedDisk(
                            what -> what.startsWith("link") && what.contains("/inbox/"),
                            () -> transport.send(first));
            try (FileTransport other = hive.open(disk)) {
                assertThat(other.send(second).copies().getFirst().result())
                        .isInstanceOf(SendResult.Conflict.class);
            }
            assertThat(take(inbox).envelope().bytes()).isEqualTo(first.bytes());
            assertThat(hive.filesIn("inbox")).isEmpty();
        }

        @Test
        void twoArchivesOfOneIdAreBothKept() throws Exception {
            EnvelopeId id = EnvelopeId.random(hive.clock.instant());
            for (int i = 0; i < 2; i++) {
                transport.send(mail().id(id).ttl(Ttl.parse("5s")).seal());
                hive.clock.advance(Duration.ofSeconds(6));
                assertNothing(inbox);
            }
            assertThat(states()).containsExactly(State.EXPIRED, State.EXPIRED);
        }

        @Test
        void aReplyMadeTwiceArrivesOnce() throws Exception {
            EnvelopeId request = EnvelopeId.random(hive.clock.instant());
            EnvelopeId id = EnvelopeId.ofReply(request, CODE);
            assertThat(id).isEqualTo(EnvelopeId.ofReply(request, CODE)).isNotEqualTo(request);
            SendResult first = transport.send(mail().id(id).seal()).copies().getFirst().result();
            hive.clock.advance(Duration.ofMinutes(5));
            SendResult again = transport.send(mail().id(id).seal()).copies().getFirst().result();

            assertThat(first).isInstanceOf(SendResult.Delivered.class);
            assertThat(again).isInstanceOf(SendResult.Duplicate.class);
        }

        @Test
        void threeRecipientsOfOneIdEachDoTheirOwnWork() throws Exception {
            Envelope envelope =
                    Envelope.draft(
                                    Actor.parse("ada"),
                                    List.of(
                                            Address.parse("queen://code"),
                                            Address.parse("queen://docs"),
                                            Address.parse("user://ada")),
                                    Lane.CODE,
                                    "all")
                            .ts(hive.clock.instant())
                            .seal();
            for (Receipt.Copy copy : transport.send(envelope).copies()) {
                Inbox own = transport.inbox(copy.inbox());
                assertThat(own.settle(take(own).token(), new Outcome.Done(""))).isEqualTo(DONE);
            }
            assertThat(hive.events("rsm_envelope_emit")).hasSize(3);
            assertThat(hive.events("worker_ack")).hasSize(3);
            assertThat(hive.filesIn("seen")).hasSize(3);
        }
    }

    @Nested
    class MarksOfWorkInProgress {

        @Test
        void aMarkThatADeadProcessLeftStopsNobody() throws Exception {
            Envelope envelope = mail().seal();
            transport.send(envelope);
            Files.createDirectories(hive.layout.running(CODE));
            Files.writeString(hive.layout.running(CODE).resolve(envelope.id().text()), "stale");

            assertThat(inbox.settle(take(inbox).token(), new Outcome.Done(""))).isEqualTo(DONE);
        }

        @Test
        void ofTwoThatMeetAStaleMarkOneWorks() throws Exception {
            Envelope envelope = mail().seal();
            transport.send(envelope);
            write(envelope, "again.md");
            Files.createDirectories(hive.layout.running(CODE));
            Files.writeString(hive.layout.running(CODE).resolve(envelope.id().text()), "stale");
            // The other takes its copy just when the first is about to replace the mark.
            CompletableFuture<Void> second = new CompletableFuture<>();
            InterposedDisk disk =
                    new InterposedDisk(
                            what -> what.startsWith("remove") && what.contains("/.running/"),
                            () -> Thread.ofVirtual().start(() -> selectInto(second)));
            try (FileTransport other = hive.open(disk)) {
                other.inbox(CODE).select(WORKER, LEASE);
                assertThat(disk.isPlayed()).isTrue();
            }
            second.get(30, TimeUnit.SECONDS);
            while (inbox.select(WORKER, LEASE) instanceof Selection.Taken) {
                // Whatever is left.
            }
            assertThat(states()).containsExactly(State.ACTIVE, State.DUPLICATE);
        }
    }

    private void selectInto(CompletableFuture<Void> done) {
        try {
            inbox.select(WORKER, LEASE);
            done.complete(null);
        } catch (IOException | RuntimeException e) {
            done.completeExceptionally(e);
        }
    }

    @Test
    void mailForSomebodyElseIsDead() throws Exception {
        write(
                Envelope.draft(
                                Actor.parse("ada"),
                                List.of(Address.parse("queen://docs")),
                                Lane.DOCS,
                                "lost")
                        .ts(hive.clock.instant())
                        .seal(),
                "lost.md");

        assertNothing(inbox);
        assertThat(states()).containsExactly(State.DEAD);
        assertThat(hive.filesIn("seen")).isEmpty();
    }

    @Test
    void mailFromMoreThanADayAheadIsDead() throws Exception {
        write(mail().ts(hive.clock.instant().plus(Duration.ofHours(25))).seal(), "future.md");

        assertNothing(inbox);
        assertThat(states()).containsExactly(State.DEAD);
    }
}
