package dev.pheromone.file.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.NotLetInException;
import dev.pheromone.Outcome;
import dev.pheromone.Receipt;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.FaultyDisk;
import dev.pheromone.disk.FaultyDisk.Fault;
import dev.pheromone.disk.ForgetfulDisk;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.OneInbox;
import dev.pheromone.file.TestHive;
import dev.pheromone.file.embargo.KeptMail;
import dev.pheromone.file.embargo.MissingInbox;
import dev.pheromone.file.upkeep.Recovery;
import dev.pheromone.guard.WithheldException;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Mail for a transport that is away is kept, and goes once when it is back.
final class OutboxTest extends OneInbox {

    private static final String TEAM = "team";
    private static final int STEPS_MAX = 200;

    private Far far;

    @BeforeEach
    void farAway() {
        far = new Far(hive);
    }

    private Outbox outbox() throws IOException {
        return transport.remote().outbox(TEAM);
    }

    private SendResult keep(Envelope envelope) throws IOException {
        return outbox().keep(envelope, "team is away").copies().getFirst().result();
    }

    private List<String> kept() throws IOException {
        return mailIn(hive, "outbox");
    }

    private static List<String> mailIn(TestHive hive, String folder) throws IOException {
        return hive.filesIn(folder).stream().filter(name -> name.endsWith(".md")).toList();
    }

    private static List<byte[]> takeAll(Far far) throws Exception {
        List<byte[]> taken = new ArrayList<>();
        Inbox inbox = far.inbox(TestHive.CODE);
        while (inbox.select(TestHive.WORKER, Lease.unattended(Duration.ofHours(1)))
                instanceof Selection.Taken(var claim)) {
            taken.add(claim.envelope().bytes());
            inbox.settle(claim.token(), new Outcome.Done(""));
        }
        return taken;
    }

    @Test
    void whatMayNotHaveArrivedStaysAndIsSentAgain() throws Exception {
        Envelope envelope = hive.mail().seal();
        keep(envelope);
        for (SendResult unsure :
                List.of(
                        new SendResult.Unconfirmed("there", "no space left"),
                        new SendResult.Unanswered(SendResult.Place.BROKER, "no receipt"))) {
            far.unsure = unsure;
            assertThat(outbox().forward(far, 10).sent()).isZero();
            assertThat(kept()).hasSize(1);
        }

        far.unsure = null;
        assertThat(outbox().forward(far, 10).sent()).isEqualTo(1);
        assertThat(kept()).isEmpty();
        assertThat(takeAll(far)).containsExactly(envelope.bytes());
        assertThat(hive.events("rsm_envelope_emit")).hasSize(1);
    }

    @Test
    void whatIsKeptGoesOnceWhenTheTransportIsBack() throws Exception {
        Envelope envelope = hive.mail().seal();
        SendResult.Spooled spooled = (SendResult.Spooled) keep(envelope);
        assertThat(spooled.location()).isEqualTo(".deia/outbox/team/" + envelope.id() + ".md");
        assertThat(keep(envelope)).isEqualTo(spooled);
        assertThat(hive.events("rsm_envelope_spool")).hasSize(1);
        assertThat(transport.remote().outboxes()).containsExactly(TEAM);
        assertThat(transport.catalog().find(envelope.id().text())).hasSize(1);

        far.away = true;
        Outbox.Forwarded none = outbox().forward(far, 10);
        assertThat(none.sent()).isZero();
        assertThat(none.left()).isEqualTo(1);
        assertThat(none.trouble()).isNotNull();

        far.away = false;
        assertThat(outbox().forward(far, 10).sent()).isEqualTo(1);
        assertThat(outbox().forward(far, 10)).isEqualTo(new Outbox.Forwarded(0, 0, 0, null));
        assertThat(kept()).isEmpty();
        assertThat(takeAll(far)).containsExactly(envelope.bytes());
        assertThat(hive.events("rsm_envelope_emit"))
                .singleElement()
                .satisfies(event -> assertThat(event.data().text("via")).isEqualTo(TEAM));
        assertThat(transport.remote().outboxes()).isEmpty();
    }

    @Test
    void anotherUnderTheSameIdIsAConflict() throws Exception {
        Envelope envelope = hive.mail().seal();
        keep(envelope);
        Envelope other = hive.mail().id(envelope.id()).body("Walk.\n").seal();
        assertThat(keep(other)).isInstanceOf(SendResult.Conflict.class);
        assertThat(outbox().waiting()).hasSize(1);
    }

    @Test
    void whatExpiresMeanwhileIsArchived() throws Exception {
        Envelope envelope = hive.mail().ttl(Ttl.parse("10m")).seal();
        keep(envelope);
        hive.clock.advance(Duration.ofMinutes(11));
        assertThat(outbox().forward(far, 10).ended()).isEqualTo(1);
        assertThat(takeAll(far)).isEmpty();
        assertThat(TestHive.states(transport)).containsExactly(State.EXPIRED);
        assertThat(hive.events("pheromone_expire")).hasSize(1);
        assertThat(transport.catalog().reason(TestHive.CODE, envelope.id()))
                .as("nobody knows who tried to send the mail and died before the answer")
                .isEqualTo("expired, arrival unknown");
    }

    @Test
    void whatExpiresIsArchivedThoughNobodyIsThere() throws Exception {
        Envelope lasting = hive.mail().ttl(Ttl.parse("1h")).seal();
        keep(lasting);
        keep(hive.mail().ttl(Ttl.parse("10m")).seal());
        hive.clock.advance(Duration.ofMinutes(11));
        assertThat(outbox().endExpired()).isEqualTo(1);
        assertThat(TestHive.states(transport)).containsExactly(State.EXPIRED);
        assertThat(kept()).singleElement().asString().contains(lasting.id().text());
        assertThat(outbox().endExpired()).isZero();
    }

    @Test
    void whatIsNotTakenThereKeepsNothingElse() throws Exception {
        Envelope large = hive.mail().seal();
        Envelope other = hive.mail().seal();
        keep(large);
        keep(other);
        far.refused = large.id();
        Outbox.Forwarded forwarded = outbox().forward(far, 10);
        assertThat(forwarded.sent()).isEqualTo(1);
        assertThat(forwarded.left()).isEqualTo(1);
        assertThat(forwarded.trouble()).hasMessage("too large");
        assertThat(takeAll(far)).containsExactly(other.bytes());
        assertThat(kept()).singleElement().asString().contains(large.id().text());
    }

    @Test
    void mailForNobodyThereIsDeadAndFound() throws Exception {
        Envelope envelope = hive.mail(List.of(Address.parse("queen://nowhere"))).seal();
        keep(envelope);
        assertThat(outbox().forward(far, 10).ended()).isEqualTo(1);
        assertThat(transport.catalog().find(envelope.id().text()))
                .singleElement()
                .satisfies(item -> assertThat(item.state()).isEqualTo(State.DEAD));
        assertThat(hive.events("rsm_envelope_dead"))
                .singleElement()
                .satisfies(event ->
                        assertThat(event.data().text("reason"))
                                .isEqualTo("team has no inbox queen://nowhere"));
    }

    @Test
    void whoHasAnInboxThereGetsItThoughOthersHaveNone() throws Exception {
        Envelope envelope =
                hive.mail(
                                List.of(
                                        Address.parse("queen://nowhere"),
                                        Address.parse("queen://code"),
                                        Address.parse("queen://nobody")))
                        .seal();
        keep(envelope);
        assertThat(outbox().forward(far, 10)).isEqualTo(new Outbox.Forwarded(0, 1, 0, null));
        assertThat(takeAll(far)).containsExactly(envelope.bytes());
        assertThat(transport.catalog().find(envelope.id().text()))
                .hasSize(2)
                .allSatisfy(item -> {
                    assertThat(item.state()).isEqualTo(State.DEAD);
                    assertThat(transport.catalog().endedOnTheWayTo(item.inbox(), envelope.id()))
                            .contains(TEAM);
                })
                .extracting(item -> item.inbox().name())
                .containsExactlyInAnyOrder("nowhere", "nobody");
    }

    @Test
    void inboxesThatWereToBeMadeAreMadeBeforeItGoes() throws Exception {
        Envelope envelope = hive.mail(List.of(Address.parse("queen://brandnew"))).seal();
        outbox().keepToCreate(envelope, "team is away");
        far.away = true;
        assertThat(outbox().forward(far, 10).left()).isEqualTo(1);
        far.away = false;
        assertThat(outbox().forward(far, 10).sent()).isEqualTo(1);
        assertThat(far.domains()).contains(Domain.parse("brandnew"));
        assertThat(hive.layout.outbox(TEAM).resolve(".create")).isEmptyDirectory();
    }

    @Test
    void whatHasArrivedIsKnownThoughTheInboxesOfALaneAreOthersThere() throws Exception {
        Files.writeString(
                hive.layout.hive().resolve("hive.yaml"),
                "format: 1\ndomains:\n  builders: {lanes: [Code]}\n");
        far.createInbox(Domain.parse("docs"));
        far.full = Domain.parse("docs");
        Envelope envelope =
                hive.mail(List.of(Address.parse("lane://Code"), Address.parse("queen://docs")))
                        .seal();
        try (FileTransport here = hive.openReally()) {
            Outbox outbox = here.remote().outbox(TEAM);
            outbox.keep(envelope, "team is away");
            assertThat(outbox.forward(far, 10).left()).isEqualTo(1);
            far.full = null;
            assertThat(outbox.forward(far, 10)).isEqualTo(new Outbox.Forwarded(1, 0, 0, null));
        }
        assertThat(mailIn(hive, "archive")).isEmpty();
    }

    @Test
    void whatIsNoEnvelopeKeepsNothingElse() throws Exception {
        keep(hive.mail().seal());
        Path spoilt = hive.layout.outbox(TEAM).resolve("00000000000000000000000000.md");
        Files.writeString(spoilt, "no mail");
        assertThat(outbox().forward(far, 10)).isEqualTo(new Outbox.Forwarded(1, 0, 1, null));
        assertThat(spoilt).as("somebody may be writing the file").exists();
    }

    /// Mail with a body that takes several pages of a disk.
    private Envelope longMail() {
        return hive.mail().body("All work and no play.\n".repeat(420)).seal();
    }

    private Path fileOf(Envelope envelope) throws IOException {
        return Files.createDirectories(hive.layout.outbox(TEAM)).resolve(envelope.id() + ".md");
    }

    /// What a power cut may leave of `envelope` whose first `length` bytes are on the disk: no
    /// more, or zeros in the place of the others.
    private static List<byte[]> tornAt(Envelope envelope, int length) {
        byte[] cut = Arrays.copyOf(envelope.bytes(), length);
        return List.of(cut, Arrays.copyOf(cut, envelope.size()));
    }

    @Test
    void mailThatIsCutAnywhereIsNoMail() throws Exception {
        Envelope envelope = longMail();
        Path file = Files.write(fileOf(envelope), envelope.bytes());
        Outbox outbox = outbox();
        assertThat(outbox.look(file)).isEqualTo(new Outbox.Sight.Mail(envelope));
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            for (int length = envelope.size() - 1; length >= 0; length--) {
                channel.write(ByteBuffer.allocate(1), length);
                assertThat(outbox.look(file))
                        .as("zeros from %d on", length)
                        .isInstanceOf(Outbox.Sight.Torn.class);
            }
            channel.write(envelope.buffer(), 0);
            for (int length = envelope.size() - 1; length >= 0; length--) {
                channel.truncate(length);
                assertThat(outbox.look(file))
                        .as("%d bytes", length)
                        .isInstanceOf(Outbox.Sight.Torn.class);
            }
        }
    }

    @Test
    void tornMailIsReplacedByWhoSendsTheMailAgain() throws Exception {
        Envelope envelope = longMail();
        Path file = fileOf(envelope);
        for (int length : List.of(0, 1, 4_096, 8_192, envelope.size() - 1)) {
            for (byte[] torn : tornAt(envelope, length)) {
                Files.write(file, torn);
                assertThat(keep(envelope)).isInstanceOf(SendResult.Spooled.class);
                assertThat(file).as("cut at %d", length).hasBinaryContent(envelope.bytes());
                Files.delete(file);
            }
        }
        assertThat(mailIn(hive, "archive")).as("nothing is deleted").hasSize(10);
    }

    @Test
    void tornMailIsReplacedByTheSameMailWithAnotherTime() throws Exception {
        Envelope envelope = longMail();
        Path file = fileOf(envelope);
        Files.write(file, Arrays.copyOf(envelope.bytes(), 4_096));
        Envelope again =
                hive.mail()
                        .id(envelope.id())
                        .ts(hive.clock.instant().plusSeconds(1))
                        .body(envelope.bodyText())
                        .seal();
        assertThat(keep(again)).isInstanceOf(SendResult.Spooled.class);
        assertThat(file).hasBinaryContent(again.bytes());
        assertThat(outbox().forward(far, 10)).isEqualTo(new Outbox.Forwarded(1, 0, 0, null));
        assertThat(takeAll(far)).containsExactly(again.bytes());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100, 4_096})
    void tornMailThatNobodySendsAgainIsArchivedAndNeverSent(int length) throws Exception {
        keep(hive.mail().seal());
        Envelope envelope = longMail();
        Path file = fileOf(envelope);
        Files.write(file, Arrays.copyOf(envelope.bytes(), length));
        assertThat(outbox().waiting())
                .filteredOn(item -> envelope.id().equals(item.id()))
                .singleElement()
                .satisfies(item -> assertThat(item.envelope()).isNull());
        hive.clock.advance(Duration.ofMinutes(1));
        assertThat(outbox().forward(far, 10)).isEqualTo(new Outbox.Forwarded(1, 1, 0, null));
        assertThat(takeAll(far)).hasSize(1);
        assertThat(file).doesNotExist();
        assertThat(mailIn(hive, "archive")).hasSize(1);
        assertThat(transport.catalog().find(envelope.id().text()))
                .as("the mail may still be sent")
                .isEmpty();
        assertThat(hive.events("rsm_envelope_dead"))
                .singleElement()
                .satisfies(event ->
                        assertThat(event.data().text("reason"))
                                .endsWith("; it was .deia/outbox/team/" + envelope.id() + ".md"));
    }

    @Test
    void tornMailIsArchivedThoughNobodyIsThere() throws Exception {
        Files.write(fileOf(longMail()), new byte[0]);
        assertThat(outbox().endExpired()).as("too young").isZero();
        hive.clock.advance(Duration.ofMinutes(1));
        assertThat(outbox().endExpired()).isEqualTo(1);
        assertThat(outbox().hasMail()).isFalse();
    }

    @Test
    void underALockNothingGoes() throws Exception {
        keep(hive.mail().seal());
        Path lock = hive.layout.hive().resolve("ROTG-2-RESPECT-DO-NOT-ERASE.lock");
        Outbox before = outbox();
        Files.createFile(lock);
        assertThatThrownBy(() -> before.forward(far, 10)).isInstanceOf(WithheldException.class);
        assertThatThrownBy(() -> before.keep(hive.mail().seal(), "away"))
                .isInstanceOf(WithheldException.class);
        assertThatThrownBy(() -> transport.remote().requireFree())
                .isInstanceOf(WithheldException.class);
        assertThat(takeAll(far)).isEmpty();
        Files.delete(lock);
        assertThat(before.forward(far, 10).sent()).isEqualTo(1);
    }

    @Test
    void whatALockKeptIsReleasedToTheOutbox() throws Exception {
        releaseToOutbox(hive.mail().seal(), MissingInbox.FAILS);
    }

    @Test
    void whatALockKeptAndIsToMakeItsInboxDoesSo() throws Exception {
        releaseToOutbox(
                hive.mail(List.of(Address.parse("queen://brandnew"))).seal(), MissingInbox.IS_MADE);
        assertThat(far.domains()).contains(Domain.parse("brandnew"));
    }

    private void releaseToOutbox(Envelope envelope, MissingInbox missing) throws Exception {
        Path lock = hive.layout.hive().resolve("ROTG-2-RESPECT-DO-NOT-ERASE.lock");
        Files.createFile(lock);
        WithheldException withheld = null;
        try {
            transport.remote().requireFree();
        } catch (WithheldException e) {
            withheld = e;
        }
        assertThat(withheld).isNotNull();
        Receipt receipt = transport.remote().keep(TEAM, envelope, missing, withheld);
        assertThat(receipt.copies().getFirst().result())
                .isInstanceOfSatisfying(
                        SendResult.Withheld.class,
                        kept ->
                                assertThat(kept.embargo())
                                        .isEqualTo(
                                                ".embargo/inbox/via-team/"
                                                        + envelope.id()
                                                        + ".md"));
        Files.delete(lock);
        KeptMail kept = transport.embargo().mail().getFirst();
        assertThat(kept.onward().transport()).isEqualTo(TEAM);
        assertThat(transport.embargo().release(kept).copies().getFirst().result())
                .isInstanceOf(SendResult.Spooled.class);
        assertThat(transport.embargo().mail()).isEmpty();
        assertThat(outbox().forward(far, 10).sent()).isEqualTo(1);
        TestHive.assertNothing(inbox);
    }

    private static final SendResult AT_BROKER =
            new SendResult.Unanswered(SendResult.Place.BROKER, "no receipt");

    private Receipt send(Envelope envelope) throws IOException {
        return outbox().send(envelope, far);
    }

    @Test
    void whatIsAnsweredAtOnceLeavesNoTraceInTheOutbox() throws Exception {
        Envelope envelope = hive.mail().seal();
        assertThat(send(envelope).copies().getFirst().result())
                .isInstanceOf(SendResult.Delivered.class);
        assertThat(kept()).isEmpty();
        assertThat(takeAll(far)).containsExactly(envelope.bytes());
        assertThat(hive.events("rsm_envelope_emit")).hasSize(1);
        assertThat(hive.events("rsm_envelope_spool")).isEmpty();
    }

    @Test
    void whatIsNotAnsweredIsKeptAndSaysWhereElseItIs() throws Exception {
        far.unsure = AT_BROKER;
        Envelope envelope = hive.mail().seal();
        assertThat(send(envelope).copies().getFirst().result())
                .isEqualTo(
                        new SendResult.Spooled(
                                ".deia/outbox/team/" + envelope.id() + ".md",
                                SendResult.Place.BROKER,
                                "no receipt"));
        assertThat(hive.events("rsm_envelope_spool")).hasSize(1);
        assertThat(outbox().waiting())
                .singleElement()
                .satisfies(
                        item -> assertThat(item.atBrokerSince()).isEqualTo(hive.clock.instant()));

        far.unsure = null;
        assertThat(send(envelope).copies().getFirst().result())
                .isInstanceOf(SendResult.Duplicate.class);
        assertThat(kept()).isEmpty();
        assertThat(takeAll(far)).hasSize(1);
    }

    @Test
    void theEventOfMailThatWaitsIsAddedAgainWhereAPowerCutTookIt() throws Exception {
        Envelope envelope = hive.mail().ttl(Ttl.parse("1d")).seal();
        keep(envelope);
        Files.delete(hive.layout.log());
        hive.clock.advance(Duration.ofHours(1));
        for (int i = 0; i < 2; i++) {
            var _ = transport.upkeep().recover(Recovery.Extent.RECENT);
            assertThat(hive.events("rsm_envelope_spool"))
                    .singleElement()
                    .satisfies(event -> {
                        assertThat(event.about()).contains(envelope.id().text());
                        assertThat(event.data().text("via")).isEqualTo(TEAM);
                    });
        }
    }

    @Test
    void whatABrokerHasIsSentAgainMoreAndMoreSeldom() throws Exception {
        far.unsure = AT_BROKER;
        send(hive.mail().ttl(Ttl.parse("1d")).seal());
        int before = far.sendings;
        List<Integer> minutes = new ArrayList<>();
        for (int minute = 0; minute < 60; minute++) {
            hive.clock.advance(Duration.ofMinutes(1));
            var _ = outbox().forward(far, 10, Outbox.Pace.WHEN_DUE);
            if (far.sendings > before) {
                before = far.sendings;
                minutes.add(minute + 1);
            }
        }
        assertThat(minutes).containsExactly(1, 2, 4, 8, 16, 32);
        assertThat(outbox().forward(far, 10).sent()).as("a person asks").isZero();
        assertThat(far.sendings).isEqualTo(before + 1);
    }

    @Test
    void nobodyReceivesIsSaidAfterHalfAMinute() throws Exception {
        far.unsure = AT_BROKER;
        send(hive.mail().seal());
        assertThat(outbox().forward(far, 10).trouble()).isNull();
        hive.clock.advance(Outbox.SILENCE_MAX);
        assertThat(outbox().forward(far, 10).trouble())
                .hasMessage("nobody receives for inbox code: no receipt for 30 s");
    }

    @Test
    void whatWasRejectedToItsSendersFaceIsNotKept() throws Exception {
        far.rejecting = TestHive.CODE;
        assertThat(send(hive.mail().seal()).copies().getFirst().result())
                .isInstanceOf(SendResult.Rejected.class);
        assertThat(kept()).isEmpty();
        assertThat(mailIn(hive, "archive")).isEmpty();
    }

    @Test
    void whatNobodyLetsInIsNotKeptEither() throws Exception {
        far.closedDoor = true;
        assertThatThrownBy(() -> send(hive.mail().seal())).isInstanceOf(NotLetInException.class);
        assertThat(kept()).isEmpty();
    }

    /// What is done to mail for another transport.
    enum Deed {
        KEEP,
        FORWARD,
        END,
        /// Kept, sent and answered in one.
        SEND,
        /// The same, with a broker that has it and no receiver that answers.
        SEND_UNANSWERED,
        /// The same, with nobody there.
        SEND_AWAY
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
    @EnumSource(ForgetfulDisk.More.class)
    void aPowerCutAtAnyStepLosesNothingThatIsSaidToBeKept(ForgetfulDisk.More more)
            throws Exception {
        for (Deed deed : List.of(Deed.SEND, Deed.SEND_UNANSWERED, Deed.SEND_AWAY)) {
            cutPower(deed, more, false);
        }
    }

    @Test
    void mailThatIsSentAgainAfterAPowerCutAtAnyStepIsKeptWhole() throws Exception {
        cutPower(Deed.SEND_AWAY, ForgetfulDisk.More.TORN, true);
    }

    /// @param isSentAgain whether the mail is put into the outbox again, before a second power cut
    private void cutPower(Deed deed, ForgetfulDisk.More more, boolean isSentAgain)
            throws Exception {
        boolean isOver = false;
        for (int step = 0; !isOver; step++) {
            assertThat(step).isLessThan(STEPS_MAX);
            Path folder = Files.createDirectory(root.resolve(deed + "-cut-" + step));
            TestHive own = new TestHive(folder);
            Far there = new Far(own);
            ForgetfulDisk below = new ForgetfulDisk(folder.toRealPath(), more);
            FaultyDisk disk = new FaultyDisk(Fault.DIES, step, below);
            Envelope envelope =
                    own.mail()
                            .ttl(Ttl.parse("1h"))
                            .body("All work and no play.\n".repeat(420))
                            .seal();
            boolean isKept = attempt(own, there, deed, envelope, disk);
            below.cutPower();
            own.clock.advance(Duration.ofMinutes(10));
            isOver = disk.hit().isEmpty();
            String where = deed + ", step " + step + ": " + disk.hit();
            if (isSentAgain) {
                ForgetfulDisk second = new ForgetfulDisk(folder.toRealPath(), more);
                try (FileTransport next = own.open(second)) {
                    Receipt receipt = next.remote().outbox(TEAM).keep(envelope, "away");
                    isKept = receipt.copies().stream().allMatch(Receipt.Copy::isTaken);
                    assertThat(isKept).as(where).isTrue();
                }
                second.cutPower();
            }
            try (FileTransport next = own.open()) {
                var _ = next.remote().outbox(TEAM).forward(there, 10);
            }
            List<byte[]> taken = takeAll(there);
            assertThat(taken).as(where).hasSizeBetween(isKept || isOver ? 1 : 0, 1);
            for (byte[] bytes : taken) {
                assertThat(bytes).as(where).isEqualTo(envelope.bytes());
            }
            assertThat(mailIn(own, "outbox")).as(where).isEmpty();
            assertThat(mailIn(own, "archive")).as(where).allMatch(name -> name.contains("/torn."));
        }
    }

    private void sweep(Deed deed, Fault fault) throws Exception {
        for (int step = 0; step < STEPS_MAX; step++) {
            TestHive own = new TestHive(Files.createDirectory(root.resolve("step-" + step)));
            Far there = new Far(own);
            FaultyDisk disk = new FaultyDisk(fault, step);
            Envelope envelope = own.mail().ttl(Ttl.parse("1h")).seal();
            boolean confirmed = attempt(own, there, deed, envelope, disk);
            if (disk.hit().isEmpty()) {
                assertThat(step).as("steps of %s", deed).isGreaterThan(2);
                return;
            }
            String where = deed + ", step " + step + ": " + disk.hit();
            try (FileTransport next = own.open()) {
                var _ = next.remote().outbox(TEAM).forward(there, 10);
            }
            List<byte[]> taken = takeAll(there);
            for (byte[] bytes : taken) {
                assertThat(bytes).as(where).isEqualTo(envelope.bytes());
            }
            assertThat(mailIn(own, "outbox")).as(where).isEmpty();
            int ended = mailIn(own, "archive").size();
            if (deed == Deed.END) {
                assertThat(ended).as(where).isEqualTo(1);
            } else if (confirmed || deed == Deed.FORWARD) {
                assertThat(taken).as(where).hasSize(1);
            }
            assertThat(own.filesIn("outbox"))
                    .as(where)
                    .noneMatch(name -> name.contains("/.settled/") || name.contains("/.broker/"));
            assertThat(taken.size() + ended).as(where).isLessThan(2);
        }
        fail("more than " + STEPS_MAX + " steps");
    }

    /// Returns whether the sender was told that its mail is kept.
    private static boolean attempt(
            TestHive own, Far there, Deed deed, Envelope envelope, FaultyDisk disk)
            throws Exception {
        there.away = deed == Deed.SEND_AWAY;
        there.unsure =
                deed == Deed.SEND_UNANSWERED
                        ? new SendResult.Unanswered(SendResult.Place.BROKER, "no receipt")
                        : null;
        if (deed == Deed.FORWARD || deed == Deed.END) {
            try (FileTransport first = own.open()) {
                first.remote().outbox(TEAM).keep(envelope, "away");
            }
        }
        try (FileTransport faulty = own.open(disk)) {
            Outbox outbox = faulty.remote().outbox(TEAM);
            switch (deed) {
                case KEEP -> {
                    return outbox.keep(envelope, "away").copies().getFirst().result()
                            instanceof SendResult.Spooled;
                }
                case SEND, SEND_UNANSWERED, SEND_AWAY -> {
                    return outbox.send(envelope, there).copies().stream()
                            .allMatch(Receipt.Copy::isTaken);
                }
                case FORWARD -> {
                    var _ = outbox.forward(there, 10);
                }
                case END -> {
                    own.clock.advance(Duration.ofHours(2));
                    var _ = outbox.forward(there, 10);
                }
            }
        } catch (FaultyDisk.Death death) {
            // As kill -9 would: nothing more happens here.
        } catch (IOException failure) {
            assertThat(failure).hasMessageContaining("No space left");
        } finally {
            there.unsure = null;
            there.away = false;
        }
        return false;
    }
}
