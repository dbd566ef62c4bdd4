package dev.pheromone.file.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.pheromone.Claim;
import dev.pheromone.HiveConfig;
import dev.pheromone.HiveConfig.BackpressureLimits;
import dev.pheromone.HiveConfig.SenderLimits;
import dev.pheromone.Inbox;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Lane;
import dev.pheromone.disk.FaultyDisk;
import dev.pheromone.disk.FaultyDisk.Fault;
import dev.pheromone.disk.InterposedDisk;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.OneInbox;
import dev.pheromone.file.StormHive;
import dev.pheromone.file.TestHive;
import dev.pheromone.file.copy.FileLimits;
import dev.pheromone.trust.TrustList;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/// A muted sender's mail is kept, and comes once when the mute is over.
final class MuteTest extends OneInbox {

    private static final Actor ADA = Actor.parse("ada");
    private static final Duration AN_HOUR = Duration.ofHours(1);
    private static final int STEPS_MAX = 200;

    private static int mute(TestHive hive, FileTransport transport) throws IOException {
        Instant now = hive.clock.instant();
        return transport
                .muted()
                .add(new Mute(ADA, now, now.plus(AN_HOUR), "it's noisy", "you"), "unproven");
    }

    /// As a program that writes the file alone, and leaves what waits to others.
    private static void muteByHand(TestHive hive) throws IOException {
        Instant now = hive.clock.instant();
        Files.createDirectories(hive.layout.mutes());
        Files.writeString(
                hive.layout.mutes().resolve("ada.yaml"),
                "actor: ada\nsince: %s\nuntil: %s\n".formatted(now, now.plus(AN_HOUR)));
    }

    private SendResult send(Envelope envelope) throws Exception {
        return transport.send(envelope).copies().getFirst().result();
    }

    private List<String> parked() throws IOException {
        return hive.filesIn("outbox/muted").stream().filter(name -> name.endsWith(".md")).toList();
    }

    @Test
    void itsMailIsKeptAndComesWhenTheTimeIsOver() throws Exception {
        mute(hive, transport);
        Envelope envelope = hive.mail().seal();
        SendResult.Parked kept = (SendResult.Parked) send(envelope);
        assertThat(kept.until())
                .isEqualTo(hive.clock.instant().plus(AN_HOUR).truncatedTo(ChronoUnit.MILLIS));
        assertThat(kept.location()).isEqualTo(parked().getFirst());
        assertThat(send(envelope)).isEqualTo(kept);
        TestHive.assertNothing(inbox);
        assertThat(hive.events("rsm_envelope_park")).hasSize(1);
        assertThat(hive.events("rsm_envelope_emit")).isEmpty();

        hive.clock.advance(AN_HOUR);
        assertThat(TestHive.take(inbox).envelope().bytes()).isEqualTo(envelope.bytes());
        TestHive.assertNothing(inbox);
        assertThat(parked()).isEmpty();
        assertThat(hive.events("rsm_envelope_unpark")).hasSize(1);
        assertThat(hive.events("rsm_envelope_emit")).hasSize(1);
        assertThat(send(envelope)).isInstanceOf(SendResult.Duplicate.class);
    }

    @Test
    void othersAreHeard() throws Exception {
        mute(hive, transport);
        Envelope envelope =
                Envelope.draft(
                                Actor.parse("grace"),
                                List.of(TestHive.CODE.address()),
                                Lane.CODE,
                                "test")
                        .ts(hive.clock.instant())
                        .body("Run.\n")
                        .seal();
        assertThat(send(envelope)).isInstanceOf(SendResult.Delivered.class);
    }

    @Test
    void liftingItDeliversAtOnce() throws Exception {
        mute(hive, transport);
        send(hive.mail().seal());
        assertThat(transport.muted().remove(ADA, "you", "unproven")).isPresent();
        assertThat(transport.muted().remove(ADA, "you", "unproven")).isEmpty();
        assertThat(hive.filesIn("inbox/code")).hasSize(1);
        assertThat(hive.events("mute_set")).hasSize(1);
        assertThat(hive.events("mute_lifted")).hasSize(1);
        assertThat(transport.muted().all()).isEmpty();
    }

    @Test
    void whatWaitsIsKeptAtOnceAndComesBackInOrder() throws Exception {
        List<EnvelopeId> sent = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            hive.clock.advance(Duration.ofSeconds(2));
            Envelope envelope = hive.mail().ttl(Ttl.parse("2d")).seal();
            sent.add(envelope.id());
            send(envelope);
        }
        Claim held = TestHive.take(inbox);
        List<Address> docs = List.of(Address.parse("queen://docs"));
        transport.send(hive.mail(docs).seal());

        assertThat(mute(hive, transport)).isEqualTo(60);
        assertThat(parked()).hasSize(60);
        assertThat(hive.filesIn("inbox")).isEmpty();
        assertThat(hive.events("rsm_envelope_park")).hasSize(60);
        assertThat(inbox.settle(held.token(), new Outcome.Done("")))
                .isInstanceOf(Settlement.Settled.class);
        assertThat(mute(hive, transport)).isZero();

        assertThat(transport.muted().remove(ADA, "you", "unproven")).isPresent();
        assertThat(parked()).isEmpty();
        List<EnvelopeId> taken = new ArrayList<>(List.of(held.envelope().id()));
        while (inbox.select(TestHive.WORKER, TestHive.LEASE)
                instanceof Selection.Taken(var claim)) {
            taken.add(claim.envelope().id());
        }
        assertThat(taken).containsExactlyElementsOf(sent);
    }

    @Test
    void whatALockKeepsInItsInboxStaysAndTheMuteHolds() throws Exception {
        send(hive.mail().seal());
        Path locks = Files.createDirectories(hive.layout.hive().resolve("do-not-erase"));
        Files.writeString(
                locks.resolve("code.yaml"),
                "- path_pattern: .deia/inbox/code/**\n  reason: kept\n");
        try (FileTransport locked = hive.open()) {
            assertThat(mute(hive, locked)).isZero();
            assertThat(locked.muted().all()).hasSize(1);
        }
        assertThat(hive.filesIn("inbox/code")).hasSize(1);
    }

    @Test
    void whatOthersSelectWhileASenderIsMutedIsTakenOrKeptButNeverBoth() throws Exception {
        int count = 40;
        for (int i = 0; i < count; i++) {
            send(hive.mail().ttl(Ttl.parse("2d")).seal());
        }
        List<EnvelopeId> taken = new CopyOnWriteArrayList<>();
        try (ExecutorService others = Executors.newFixedThreadPool(3)) {
            List<Future<?>> workers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                workers.add(
                        others.submit(() -> {
                            try (FileTransport other = hive.open()) {
                                Inbox own = other.inbox(TestHive.CODE);
                                while (own.select(TestHive.WORKER, TestHive.LEASE)
                                        instanceof Selection.Taken(var claim)) {
                                    taken.add(claim.envelope().id());
                                }
                            }
                            return null;
                        }));
            }
            mute(hive, transport);
            for (Future<?> worker : workers) {
                worker.get(60, TimeUnit.SECONDS);
            }
        }
        transport.upkeep().housekeep();
        assertThat(hive.filesIn("inbox/code")).isEmpty();
        assertThat(taken).doesNotHaveDuplicates();
        assertThat(parked()).hasSize(count - taken.size());
        assertThat(hive.events("rsm_envelope_dead")).isEmpty();

        transport.muted().remove(ADA, "you", "unproven");
        while (inbox.select(TestHive.WORKER, TestHive.LEASE)
                instanceof Selection.Taken(var claim)) {
            taken.add(claim.envelope().id());
        }
        assertThat(taken).hasSize(count).doesNotHaveDuplicates();
    }

    @Test
    void whatWaitsAlreadyAndWhatOthersWriteIsKeptToo() throws Exception {
        Envelope before = hive.mail().seal();
        send(before);
        muteByHand(hive);
        Envelope foreign = hive.mail().seal();
        hive.write(foreign, "a-note-from-ada.md");
        TestHive.assertNothing(inbox);
        assertThat(parked()).hasSize(2);
        assertThat(TestHive.states(transport)).containsExactly(State.WAITING, State.WAITING);

        hive.clock.advance(AN_HOUR);
        transport.upkeep().housekeep();
        assertThat(parked()).isEmpty();
        assertThat(hive.filesIn("inbox/code")).hasSize(2);
    }

    @Test
    void housekeepingKeepsWhatNobodySelects() throws Exception {
        send(hive.mail().seal());
        muteByHand(hive);
        transport.upkeep().housekeep();
        assertThat(parked()).hasSize(1);
    }

    @Test
    void ttlRunsOn() throws Exception {
        mute(hive, transport);
        send(hive.mail().ttl(Ttl.parse("10m")).seal());
        hive.clock.advance(AN_HOUR);
        transport.upkeep().housekeep();
        assertThat(TestHive.states(transport)).containsExactly(State.EXPIRED);
    }

    @Test
    void aFloodComesBackNoFasterThanItIsTaken() throws Exception {
        mute(hive, transport);
        for (int i = 0; i < 130; i++) {
            if (i % 50 == 49) {
                hive.clock.advance(Duration.ofSeconds(61));
            }
            assertThat(send(hive.mail().seal())).isInstanceOf(SendResult.Parked.class);
        }
        hive.clock.advance(AN_HOUR);
        transport.upkeep().housekeep();
        assertThat(hive.filesIn("inbox/code")).hasSize(100);
        inbox.settle(TestHive.take(inbox).token(), new Outcome.Done(""));
        transport.upkeep().housekeep();
        assertThat(hive.filesIn("inbox/code")).hasSize(100);
        assertThat(parked()).hasSize(29);
    }

    @Test
    void whoLooksFindsWhatIsDue() throws Exception {
        mute(hive, transport);
        send(hive.mail().ttl(Ttl.parse("2d")).seal());
        hive.clock.advance(AN_HOUR);
        transport.reap(TestHive.CODE);
        assertThat(inbox.waiting()).hasSize(1);
    }

    @Test
    void underALockALookBringsNothingAndGoesOn() throws Exception {
        mute(hive, transport);
        send(hive.mail().seal());
        hive.clock.advance(AN_HOUR);
        Path lock = hive.layout.hive().resolve("ROTG-2-RESPECT-DO-NOT-ERASE.lock");
        Files.createFile(lock);
        transport.muted().deliverDue();
        assertThat(parked()).hasSize(1);
        Files.delete(lock);
        transport.muted().deliverDue();
        assertThat(parked()).isEmpty();
    }

    @Test
    void anInboxThatIsFullTakesBackOnlyWhatIsUrgent() throws Exception {
        HiveConfig small =
                StormHive.limited(
                        new BackpressureLimits(5, Duration.ofDays(1)), SenderLimits.defaults());
        try (FileTransport full =
                hive.open(new LocalDisk(), small, TrustList.empty(), FileLimits.defaults())) {
            mute(hive, full);
            for (int i = 0; i < 10; i++) {
                full.send(hive.mail().ttl(Ttl.parse("2d")).seal());
            }
            // Later, so that its name sorts behind the others: it goes although the inbox is full.
            hive.clock.advance(Duration.ofSeconds(1));
            Envelope urgent = hive.mail().priority(Priority.P1).ttl(Ttl.parse("2d")).seal();
            full.send(urgent);
            hive.clock.advance(AN_HOUR);
            full.upkeep().housekeep();
            assertThat(parked()).hasSize(4).noneMatch(name -> name.contains(urgent.id().text()));
            for (int i = 0; i < 4; i++) {
                Inbox taking = full.inbox(TestHive.CODE);
                taking.settle(TestHive.take(taking).token(), new Outcome.Done(""));
            }
            hive.clock.advance(Duration.ofSeconds(2));
            full.upkeep().housekeep();
            assertThat(parked()).hasSizeLessThan(4);
        }
    }

    @Test
    void aMuteThatCantBeReadStillMutes() throws Exception {
        Files.createDirectories(hive.layout.mutes());
        Files.writeString(hive.layout.mutes().resolve("ada.yaml"), "until: whenever\n");
        assertThat(send(hive.mail().seal())).isInstanceOf(SendResult.Parked.class);
        assertThat(transport.muted().all()).hasSize(1);
    }

    @Test
    void whatWasReleasedFromTheMirrorIsKeptToo() throws Exception {
        Path lock = hive.layout.hive().resolve("ROTG-2-RESPECT-DO-NOT-ERASE.lock");
        mute(hive, transport);
        Files.createFile(lock);
        assertThat(send(hive.mail().seal())).isInstanceOf(SendResult.Withheld.class);
        Files.delete(lock);
        assertThat(
                        transport
                                .embargo()
                                .release(transport.embargo().mail().getFirst())
                                .copies()
                                .getFirst()
                                .result())
                .isInstanceOf(SendResult.Parked.class);
        assertThat(transport.embargo().mail()).isEmpty();
        assertThat(parked()).hasSize(1);
    }

    @Test
    void twoThatPutTheSameAsideKeepIt() throws Exception {
        send(hive.mail().seal());
        muteByHand(hive);
        whileItIsPutAside(() -> TestHive.assertNothing(inbox));
        assertThat(hive.filesIn("inbox/code")).isEmpty();
        assertThat(parked()).hasSize(1);
        assertThat(hive.events("rsm_envelope_park")).hasSize(1);
    }

    @Test
    void whatIsPutAsideWhileTheMuteIsLiftedIsKept() throws Exception {
        send(hive.mail().seal());
        muteByHand(hive);
        whileItIsPutAside(() -> {
            assertThat(transport.muted().remove(ADA, "you", "unproven")).isPresent();
        });
        transport.muted().deliverDue();
        assertThat(hive.filesIn("inbox/code")).hasSize(1);
        assertThat(parked()).isEmpty();
    }

    @Test
    void whatAWorkerTakesWhileItIsPutAsideIsTakenOnce() throws Exception {
        Envelope envelope = hive.mail().seal();
        send(envelope);
        muteByHand(hive);
        Path active = Files.createDirectories(hive.layout.active(TestHive.CODE));
        Path mail = hive.layout.mail(TestHive.CODE, envelope.id());
        whileItIsPutAside(() -> Files.move(mail, active.resolve("taken.md")));
        assertThat(active.resolve("taken.md")).exists();
        assertThat(parked()).isEmpty();
    }

    /// Another process puts the mail of the muted sender aside, and has given it its new name, but
    /// not taken the old one away, when `interlude` happens.
    private void whileItIsPutAside(InterposedDisk.Interlude interlude) throws Exception {
        InterposedDisk disk =
                new InterposedDisk(
                        step -> step.startsWith("sync ") && step.endsWith("muted/ada/code"),
                        interlude);
        try (FileTransport other = hive.open(disk)) {
            TestHive.assertNothing(other.inbox(TestHive.CODE));
        }
        assertThat(disk.isPlayed()).isTrue();
    }

    /// What is done to the mail of a muted sender.
    enum Deed {
        PARK,
        MUTE,
        PARK_WAITING,
        DELIVER,
        LIFT
    }

    @ParameterizedTest
    @EnumSource(Deed.class)
    void aProcessThatDiesAtAnyStepLosesNothing(Deed deed) throws Exception {
        sweep(deed, Fault.DIES);
    }

    @ParameterizedTest
    @EnumSource(Deed.class)
    void anErrorAtAnyStepLosesNothing(Deed deed) throws Exception {
        sweep(deed, Fault.FAILS);
    }

    private void sweep(Deed deed, Fault fault) throws Exception {
        for (int step = 0; step < STEPS_MAX; step++) {
            TestHive own = new TestHive(Files.createDirectory(root.resolve("step-" + step)));
            FaultyDisk disk = new FaultyDisk(fault, step);
            Envelope envelope = own.mail().ttl(Ttl.parse("2d")).seal();
            boolean confirmed = attempt(own, deed, envelope, disk);
            if (disk.hit().isEmpty()) {
                assertThat(step).as("steps of %s", deed).isGreaterThan(2);
                return;
            }
            String where = deed + ", step " + step + ": " + disk.hit();
            List<byte[]> taken = takeAll(own);
            if (confirmed || deed != Deed.PARK) {
                assertThat(taken).as(where).hasSize(1);
            }
            for (byte[] bytes : taken) {
                assertThat(bytes).as(where).isEqualTo(envelope.bytes());
            }
            assertThat(own.filesIn("inbox")).as(where).isEmpty();
            assertThat(own.filesIn("outbox")).as(where).noneMatch(name -> name.endsWith(".md"));
        }
        fail("more than " + STEPS_MAX + " steps");
    }

    /// Returns whether the sender was told that its mail is kept.
    private static boolean attempt(TestHive own, Deed deed, Envelope envelope, FaultyDisk disk)
            throws Exception {
        try (FileTransport first = own.open()) {
            if (deed == Deed.PARK_WAITING || deed == Deed.MUTE) {
                first.send(envelope);
            }
            if (deed == Deed.PARK_WAITING) {
                muteByHand(own);
            } else if (deed != Deed.MUTE) {
                mute(own, first);
            }
            if (deed == Deed.DELIVER || deed == Deed.LIFT) {
                first.send(envelope);
            }
        }
        try (FileTransport faulty = own.open(disk)) {
            switch (deed) {
                case PARK -> {
                    return faulty.send(envelope).copies().getFirst().result()
                            instanceof SendResult.Parked;
                }
                case MUTE -> mute(own, faulty);
                case PARK_WAITING -> TestHive.assertNothing(faulty.inbox(TestHive.CODE));
                case DELIVER -> {
                    own.clock.advance(AN_HOUR);
                    faulty.upkeep().housekeep();
                }
                case LIFT -> {
                    var _ = faulty.muted().remove(ADA, "you", "unproven");
                }
            }
        } catch (FaultyDisk.Death death) {
            // As kill -9 would: nothing more happens here.
        } catch (IOException failure) {
            assertThat(failure).hasMessageContaining("No space left");
        }
        return false;
    }

    /// Everything that workers get from now on, when the mute is over.
    private static List<byte[]> takeAll(TestHive own) throws Exception {
        List<byte[]> taken = new ArrayList<>();
        own.clock.advance(AN_HOUR.plusMinutes(2));
        try (FileTransport next = own.open()) {
            for (int round = 0; round < 2; round++) {
                next.upkeep().housekeep();
                Inbox inbox = next.inbox(TestHive.CODE);
                while (inbox.select(TestHive.WORKER, TestHive.LEASE)
                        instanceof Selection.Taken(Claim claim)) {
                    taken.add(claim.envelope().bytes());
                    inbox.settle(claim.token(), new Outcome.Done(""));
                }
                own.clock.advance(Duration.ofMinutes(6));
            }
        }
        return taken;
    }
}
