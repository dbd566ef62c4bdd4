package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.disk.FaultyDisk;
import dev.pheromone.disk.FaultyDisk.Fault;
import dev.pheromone.disk.ForgetfulDisk;
import dev.pheromone.disk.InMemory;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.file.upkeep.Catalog;
import dev.pheromone.file.upkeep.Recovery;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseKey;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Every step of every operation fails once, and kills its process once. Whatever happened: the
/// envelope is in one place, whole; what was confirmed holds; the hive can be used at once; and in
/// the end the work is done once, with each event in the log once.
final class CrashTest {

    private static final Domain CODE = Domain.parse("code");
    private static final Actor WORKER = Actor.parse("claude-7f3a");
    private static final Lease LEASE = Lease.unattended(Duration.ofMinutes(30));
    private static final int STEPS_MAX = 500;

    /// With the milder forms of a power cut, too.
    private static final boolean LONG = Boolean.getBoolean("rsm.long");

    @TempDir(factory = InMemory.class)
    Path folder;

    enum Deed {
        SEND,
        SELECT,
        DONE,
        FAIL,
        LAST_FAIL,
        RELEASE,
        REAP,
        EXPIRE
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

    @ParameterizedTest
    @EnumSource(Deed.class)
    void aPowerCutAtAnyStepLosesNothingThatWasConfirmed(Deed deed) throws Exception {
        cutPower(deed, ForgetfulDisk.More.LOSSES, Next.RECOVERY);
        if (LONG) {
            cutPower(deed, ForgetfulDisk.More.NOTHING, Next.RECOVERY);
        }
    }

    @ParameterizedTest
    @EnumSource(Deed.class)
    void aPowerCutThatLeavesBothNamesOfARenameLeavesOneCopy(Deed deed) throws Exception {
        cutPower(deed, ForgetfulDisk.More.BOTH_NAMES, Next.READER);
        if (LONG) {
            cutPower(deed, ForgetfulDisk.More.BOTH_NAMES, Next.RECOVERY);
        }
    }

    /// On file systems whose forced files bring their names with them, no folder is forced.
    @ParameterizedTest
    @EnumSource(Deed.class)
    void aPowerCutWhereForcedFilesBringTheirNamesLosesNothingThatWasConfirmed(Deed deed)
            throws Exception {
        cutPower(deed, ForgetfulDisk.More.TORN_NAMES_OF_FORCED, Next.READER);
        if (LONG || deed == Deed.SEND || deed == Deed.DONE) {
            cutPower(deed, ForgetfulDisk.More.NAMES_OF_FORCED, Next.RECOVERY);
            cutPower(deed, ForgetfulDisk.More.TORN, Next.RECOVERY);
        }
    }

    /// Who comes first after a power cut.
    enum Next {
        READER,
        RECOVERY
    }

    /// Also after the last step: what was confirmed is on the disk.
    private void cutPower(Deed deed, ForgetfulDisk.More more, Next next) throws Exception {
        for (int step = 0; step < STEPS_MAX; step++) {
            Path root =
                    Files.createDirectory(
                            folder.resolve(deed + "-" + more + "-" + next + "-" + step));
            Run run = new Run(new TestHive(root), deed);
            run.prepare();
            ForgetfulDisk below = new ForgetfulDisk(root.toRealPath(), more);
            FaultyDisk disk = new FaultyDisk(Fault.DIES, step, below);
            run.attempt(disk);
            below.cutPower();
            try {
                run.checkAfterPowerCut(next, disk.hit().startsWith("append") ? 1 : 0);
            } catch (AssertionError | IOException | RuntimeException e) {
                throw new AssertionError(
                        deed
                                + ", step "
                                + step
                                + ": power cut in "
                                + disk.hit()
                                + ", kept "
                                + more
                                + ", first came a "
                                + next,
                        e);
            }
            if (disk.hit().isEmpty()) {
                assertThat(step).as("steps of %s", deed).isGreaterThan(3);
                return;
            }
        }
        fail("more than " + STEPS_MAX + " steps");
    }

    private void sweep(Deed deed, Fault fault) throws Exception {
        for (int step = 0; step < STEPS_MAX; step++) {
            Path root = Files.createDirectory(folder.resolve(deed + "-" + step));
            Run run = new Run(new TestHive(root), deed);
            FaultyDisk disk = new FaultyDisk(fault, step);
            run.prepare();
            run.attempt(disk);
            if (disk.hit().isEmpty()) {
                assertThat(step).as("steps of %s", deed).isGreaterThan(3);
                return;
            }
            try {
                if (fault == Fault.FAILS) {
                    run.checkAtOnce();
                }
                run.checkAfterwards(disk.hit().startsWith("append") ? 1 : 0);
            } catch (AssertionError | IOException | RuntimeException e) {
                throw new AssertionError(
                        deed + ", step " + step + ": " + fault + " in " + disk.hit(), e);
            }
        }
        fail("more than " + STEPS_MAX + " steps");
    }

    /// One deed in one hive, and what its caller was told.
    private static final class Run {
        private final TestHive hive;
        private final Deed deed;
        private final Envelope envelope;
        private Claim claim;
        private boolean confirmed;
        private int torn;

        Run(TestHive hive, Deed deed) {
            this.hive = hive;
            this.deed = deed;
            this.envelope =
                    Envelope.draft(
                                    Actor.parse("ada"),
                                    List.of(Address.parse("queen://code")),
                                    Lane.CODE,
                                    "work")
                            .ts(hive.clock.instant())
                            .ttl(Ttl.parse(deed == Deed.EXPIRE ? "10s" : "2d"))
                            .body("Do it.\n")
                            .seal();
        }

        void prepare() throws Exception {
            if (deed == Deed.SEND) {
                return;
            }
            try (FileTransport transport = hive.open()) {
                transport.send(envelope);
                if (deed == Deed.SELECT || deed == Deed.EXPIRE) {
                    return;
                }
                Inbox inbox = transport.inbox(CODE);
                claim = take(inbox);
                for (int failure = 1; deed == Deed.LAST_FAIL && failure < 5; failure++) {
                    inbox.settle(claim.token(), new Outcome.Failed(""));
                    hive.clock.advance(Duration.ofMinutes(11));
                    claim = take(inbox);
                }
            }
        }

        private static Claim take(Inbox inbox) throws IOException {
            return ((Selection.Taken) inbox.select(WORKER, LEASE)).claim();
        }

        void attempt(FaultyDisk disk) throws Exception {
            FileTransport transport = hive.open(disk);
            try (transport) {
                confirmed = doIt(transport);
            } catch (FaultyDisk.Death death) {
                // As kill -9 would: nothing more happens here.
            } catch (IOException failure) {
                assertThat(failure).hasMessageContaining("No space left");
            }
        }

        /// Does the deed; returns whether it was confirmed.
        private boolean doIt(Transport transport) throws Exception {
            return switch (deed) {
                case SEND -> send(transport);
                case SELECT -> select(transport, Duration.ZERO);
                case EXPIRE -> select(transport, Duration.ofSeconds(11));
                case REAP -> select(transport, LEASE.duration().plusMinutes(1));
                case DONE -> settle(transport, new Outcome.Done("well"));
                case FAIL, LAST_FAIL -> settle(transport, new Outcome.Failed("badly"));
                case RELEASE -> settle(transport, new Outcome.Released(""));
            };
        }

        private boolean send(Transport transport) throws Exception {
            SendResult result = transport.send(envelope).copies().getFirst().result();
            if (result instanceof SendResult.Failed(var cause)) {
                assertThat(cause).hasMessageContaining("No space left");
            }
            return result instanceof SendResult.Delivered;
        }

        private boolean select(Transport transport, Duration later) throws Exception {
            hive.clock.advance(later);
            return transport.inbox(CODE).select(WORKER, LEASE) instanceof Selection.Taken;
        }

        private boolean settle(Transport transport, Outcome outcome) throws Exception {
            return transport.inbox(CODE).settle(claim.token(), outcome)
                    instanceof Settlement.Settled;
        }

        /// After an error that was reported, nothing has to be recovered for the mail to be found,
        /// and a selection can be tried again without waiting for a lease.
        void checkAtOnce() throws Exception {
            try (FileTransport transport = hive.open()) {
                if (deed != Deed.SEND || confirmed) {
                    assertThat(transport.catalog().find(envelope.id().text())).isNotEmpty();
                }
                if (deed == Deed.SELECT && !confirmed) {
                    Inbox inbox = transport.inbox(CODE);
                    inbox.settle(take(inbox).token(), new Outcome.Released(""));
                }
            }
        }

        /// @param tornMax how many lines of the log may be torn, because that was the fault
        void checkAfterwards(int tornMax) throws Exception {
            hive.clock.advance(Duration.ofMinutes(32));
            try (FileTransport transport = hive.open()) {
                transport.upkeep().recover(Recovery.Extent.ALL);
                checkPlaces(transport);
                finish(transport);
                hive.clock.advance(Duration.ofMinutes(2));
                transport.upkeep().recover(Recovery.Extent.ALL);
            }
            checkNothingIsLeft();
            checkEvents(tornMax);
        }

        /// What was moved or removed may be back under its old name beside the new one. It is one
        /// copy all the same: nothing is lost, nothing that was confirmed happens again, and it
        /// comes to one end.
        ///
        /// @param tornMax how many lines of the log may be torn, because that was the last step
        void checkAfterPowerCut(Next next, int tornMax) throws Exception {
            hive.clock.advance(Duration.ofMinutes(32));
            int taken = 0;
            try (FileTransport transport = hive.open()) {
                if (next == Next.RECOVERY) {
                    transport.upkeep().recover(Recovery.Extent.ALL);
                }
                if (deed == Deed.SEND && !confirmed) {
                    // Its sender was told nothing, and sends it again.
                    assertThat(transport.send(envelope).copies().getFirst().result())
                            .isInstanceOfAny(
                                    SendResult.Delivered.class, SendResult.Duplicate.class);
                }
                assertThat(whole(transport)).isNotEmpty();
                // What comes back in the first round pauses until the second.
                for (int round = 0; round < 2; round++) {
                    taken += workAll(transport.inbox(CODE));
                    hive.clock.advance(Duration.ofMinutes(11));
                }
                transport.upkeep().recover(Recovery.Extent.ALL);
                assertThat(whole(transport))
                        .extracting(Catalog.Item::state)
                        .containsExactly(lastState());
            }
            checkNothingIsLeft();
            boolean isOver = confirmed && (deed == Deed.DONE || deed == Deed.LAST_FAIL);
            assertThat(taken).isLessThanOrEqualTo(isOver || deed == Deed.EXPIRE ? 0 : 1);
            List<RseEvent> events = new ArrayList<>();
            assertThat(hive.readLog(events)).hasSizeLessThanOrEqualTo(tornMax);
            assertThat(events).extracting(RseEvent::type).contains("rsm_envelope_emit");
            assertThat(events)
                    .extracting(RseEvent::type)
                    .filteredOn(type -> type.equals(lastEvent()))
                    .hasSizeBetween(1, 2);
        }

        /// The copies there are, but for a torn one of which nobody was told that it was sent: that
        /// is dead.
        private List<Catalog.Item> whole(FileTransport transport) throws IOException {
            List<Catalog.Item> whole = new ArrayList<>();
            for (Catalog.Item item : transport.catalog().all(CODE)) {
                if (Arrays.equals(transport.catalog().read(item), envelope.bytes())) {
                    whole.add(item);
                } else {
                    assertThat(item.state()).isEqualTo(State.DEAD);
                    assertThat(deed == Deed.SEND && !confirmed).isTrue();
                    torn = 1;
                }
            }
            return whole;
        }

        /// Finishes what there is to take; returns how much that was.
        private static int workAll(Inbox inbox) throws IOException {
            int taken = 0;
            while (inbox.select(WORKER, LEASE) instanceof Selection.Taken(var again)) {
                taken++;
                assertSettled(inbox.settle(again.token(), new Outcome.Done("")));
            }
            return taken;
        }

        private static void assertSettled(Settlement settlement) {
            assertThat(settlement)
                    .isEqualTo(new Settlement.Settled(State.DONE, Settlement.Confirmation.ON_DISK));
        }

        private State lastState() {
            return switch (deed) {
                case LAST_FAIL -> State.DEAD;
                case EXPIRE -> State.EXPIRED;
                default -> State.DONE;
            };
        }

        /// The envelope has one place; it is the right one if the caller was told so.
        private void checkPlaces(FileTransport transport) throws IOException {
            List<Catalog.Item> items = transport.catalog().all(CODE);
            if (deed == Deed.SEND && !confirmed && items.isEmpty()) {
                return;
            }
            assertThat(items).hasSize(1);
            assertThat(transport.catalog().read(items.getFirst())).isEqualTo(envelope.bytes());
            State state = items.getFirst().state();
            switch (deed) {
                case DONE ->
                        assertThat(state)
                                .isIn(
                                        confirmed
                                                ? Set.of(State.DONE)
                                                : Set.of(State.DONE, State.WAITING));
                case LAST_FAIL -> assertThat(state).isEqualTo(State.DEAD);
                case EXPIRE -> assertThat(state).isIn(State.EXPIRED, State.WAITING);
                default -> assertThat(state).isEqualTo(State.WAITING);
            }
        }

        /// Whoever comes next does the work, if it is still to be done; sending again is always
        /// safe.
        private void finish(FileTransport transport) throws Exception {
            if (deed == Deed.SEND) {
                SendResult again = transport.send(envelope).copies().getFirst().result();
                assertThat(again)
                        .isInstanceOfAny(
                                confirmed
                                        ? new Class<?>[] {SendResult.Duplicate.class}
                                        : new Class<?>[] {
                                            SendResult.Duplicate.class, SendResult.Delivered.class
                                        });
            }
            Inbox inbox = transport.inbox(CODE);
            hive.clock.advance(Duration.ofMinutes(11));
            while (inbox.select(WORKER, LEASE) instanceof Selection.Taken(var taken)) {
                assertThat(taken.envelope().bytes()).isEqualTo(envelope.bytes());
                assertSettled(inbox.settle(taken.token(), new Outcome.Done("")));
            }
            assertThat(transport.catalog().all(CODE))
                    .extracting(Catalog.Item::state)
                    .containsExactly(lastState());
        }

        private void checkNothingIsLeft() throws IOException {
            assertThat(hive.filesIn("inbox")).isEmpty();
            assertThat(hive.filesIn("active")).isEmpty();
            assertThat(hive.filesIn("archive")).hasSize(1 + torn);
            assertThat(hive.filesIn("seen")).hasSize(deed == Deed.EXPIRE ? 0 : 1);
        }

        /// Each step is told once, and the first and the last are; and that it was received, if
        /// anybody had it.
        private void checkEvents(int tornMax) throws IOException {
            List<RseEvent> events = new ArrayList<>();
            assertThat(hive.readLog(events)).hasSizeLessThanOrEqualTo(tornMax);
            Set<RseKey> keys = new HashSet<>();
            for (RseEvent event : events) {
                event.key()
                        .ifPresent(key ->
                                assertThat(keys.add(key) || mayComeTwice(key))
                                        .as("%s is new", key)
                                        .isTrue());
            }
            assertThat(keys).filteredOn(key -> key.type().equals("rsm_envelope_emit")).hasSize(1);
            assertThat(keys)
                    .filteredOn(key -> key.type().equals("rsm_envelope_recv"))
                    .hasSize(deed == Deed.EXPIRE ? 0 : 1);
            assertThat(keys)
                    .filteredOn(
                            key -> key.type().equals(lastEvent()) && !key.status().equals("error"))
                    .hasSize(1);
        }

        /// What was given back is taken again as the same attempt; and an ending that could not be
        /// completed is told again by whoever completes it.
        private boolean mayComeTwice(RseKey key) {
            if (key.type().equals("backpressure")) {
                // Whoever finds the mark without the event tells it, maybe again.
                return true;
            }
            return switch (deed) {
                case RELEASE, SELECT ->
                        key.type().equals("queen_select") || key.type().equals("rsm_envelope_recv");
                case DONE -> key.type().equals("worker_ack");
                default -> false;
            };
        }

        private String lastEvent() {
            return switch (deed) {
                case LAST_FAIL -> "rsm_envelope_dead";
                case EXPIRE -> "pheromone_expire";
                default -> "worker_ack";
            };
        }
    }
}
