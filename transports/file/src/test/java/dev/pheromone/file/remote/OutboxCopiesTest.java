package dev.pheromone.file.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.pheromone.Carrier;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.PassingDisk;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.OneInbox;
import dev.pheromone.file.TestHive;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// Mail by way of a broker, of which each copy is answered for itself, or not.
final class OutboxCopiesTest extends OneInbox {

    private static final String TEAM = "team";
    private static final Domain DOCS = Domain.parse("docs");

    private Far far;
    private Carrier broker;

    @BeforeEach
    void farAway() {
        far = new Far(hive);
        far.createInbox(DOCS);
        broker = far.behindBroker();
    }

    private Outbox outbox() throws IOException {
        return transport.remote().outbox(TEAM);
    }

    private Envelope toBoth() {
        return hive.mail(List.of(Address.parse("queen://docs"), Address.parse("queen://code")))
                .seal();
    }

    private void keep(Envelope envelope) throws IOException {
        outbox().keep(envelope, "team is away");
    }

    private Receipt send(Envelope envelope) throws IOException {
        return outbox().send(envelope, broker);
    }

    private List<String> kept() throws IOException {
        return hive.filesIn("outbox").stream().filter(name -> name.endsWith(".md")).toList();
    }

    private Path note(String folder, String name) {
        return hive.layout.outbox(TEAM).resolve(folder).resolve(name);
    }

    private static List<String> results(Receipt receipt) {
        return receipt.copies().stream()
                .map(copy -> copy.inbox() + " " + copy.result().getClass().getSimpleName())
                .toList();
    }

    @Test
    void whatSeveralAreToGetIsSentAgainOnlyToThoseWhoDidNotAnswer() throws Exception {
        far.silent = TestHive.CODE;
        Envelope envelope = toBoth();
        assertThat(send(envelope).copies())
                .extracting(copy -> copy.result().getClass().getSimpleName())
                .containsExactly("Delivered", "Spooled");
        far.sent.clear();
        assertThat(outbox().forward(broker, 10).left()).isEqualTo(1);
        assertThat(far.sent).containsExactly(TestHive.CODE);
        far.silent = null;
        assertThat(outbox().forward(broker, 10)).isEqualTo(new Outbox.Forwarded(1, 0, 0, null));
        assertThat(kept()).isEmpty();
    }

    @Test
    void whatOneRejectsEndsAsDeadWhenTheOthersHaveAnswered() throws Exception {
        Envelope envelope = toBoth();
        keep(envelope);
        far.silent = TestHive.CODE;
        far.rejecting = DOCS;
        assertThat(outbox().forward(broker, 10).left()).isEqualTo(1);
        far.sent.clear();
        far.silent = null;
        assertThat(outbox().forward(broker, 10)).isEqualTo(new Outbox.Forwarded(0, 1, 0, null));
        assertThat(far.sent).as("not sent again").containsExactly(TestHive.CODE);
        assertThat(hive.events("rsm_envelope_dead"))
                .singleElement()
                .satisfies(event ->
                        assertThat(event.data().text("reason"))
                                .isEqualTo("queen://docs: not in this form"));
    }

    @Test
    void whatWasRejectedIsRejectedStillWhenItIsSentAgain() throws Exception {
        Envelope envelope = toBoth();
        far.silent = TestHive.CODE;
        far.rejecting = DOCS;
        assertThat(results(send(envelope))).containsExactly("docs Rejected", "code Spooled");
        far.sent.clear();
        assertThat(results(send(envelope)))
                .containsExactlyInAnyOrder("docs Rejected", "code Spooled");
        assertThat(far.sent).containsExactly(TestHive.CODE);
        far.silent = null;
        assertThat(outbox().forward(broker, 10)).isEqualTo(new Outbox.Forwarded(0, 1, 0, null));
    }

    @Test
    void whatHadNoInboxHasNoneStillWhenItIsSentAgain() throws Exception {
        Envelope envelope =
                hive.mail(List.of(Address.parse("queen://nowhere"), Address.parse("queen://code")))
                        .seal();
        far.silent = TestHive.CODE;
        for (int time = 0; time < 2; time++) {
            assertThat(send(envelope).copies())
                    .filteredOn(copy -> copy.inbox().name().equals("nowhere"))
                    .singleElement()
                    .satisfies(copy ->
                            assertThat(copy.result())
                                    .isEqualTo(
                                            new SendResult.Rejected(
                                                    SendResult.Ground.NO_SUCH_INBOX,
                                                    "team has no inbox queen://nowhere")));
        }
    }

    @Test
    void whatHadNoRoomIsSentAgain() throws Exception {
        Envelope envelope = toBoth();
        far.silent = TestHive.CODE;
        far.full = DOCS;
        assertThat(results(send(envelope))).containsExactly("docs Refused", "code Spooled");
        assertThat(results(send(envelope))).containsExactly("docs Refused", "code Spooled");
        far.full = null;
        far.sent.clear();
        assertThat(outbox().forward(broker, 10).left()).isEqualTo(1);
        assertThat(far.sent).containsExactly(DOCS, TestHive.CODE);
    }

    @Test
    void whatArrivedEarlierIsInTheReceiptOfTheSendingThatSettlesTheRest() throws Exception {
        Envelope envelope = toBoth();
        far.silent = TestHive.CODE;
        send(envelope);
        far.silent = null;
        assertThat(send(envelope).copies())
                .extracting(copy -> copy.address() + " " + copy.result().getClass().getSimpleName())
                .containsExactlyInAnyOrder("queen://docs Duplicate", "queen://code Duplicate");
        assertThat(kept()).isEmpty();
    }

    @Test
    void aLockThatComesAfterTheDeliveryDoesNotTakeItBack() throws Exception {
        Envelope envelope = hive.mail().seal();
        keep(envelope);
        far.lock = hive.layout.hive().resolve("ROTG-2-RESPECT-DO-NOT-ERASE.lock");
        assertThat(results(send(envelope))).containsExactly("code Delivered");
        assertThat(kept()).hasSize(1);
    }

    @Test
    void aNoteThatIsRemovedWhileItIsLookedForIsNone() throws Exception {
        Envelope envelope = toBoth();
        far.silent = TestHive.CODE;
        send(envelope);
        PassingDisk disk =
                new PassingDisk() {
                    @Override
                    public List<Path> list(Path folder) throws IOException {
                        List<Path> entries = super.list(folder);
                        if (folder.endsWith(".settled")) {
                            for (Path entry : entries) {
                                Files.deleteIfExists(entry);
                            }
                        }
                        return entries;
                    }
                };
        far.silent = null;
        try (FileTransport other = hive.open(disk)) {
            assertThat(other.remote().outbox(TEAM).forward(broker, 10).sent()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "arriv", "arrived", "dead\n", "dead\nnot in th", "nowhere\nreason\n"})
    void aSettledNoteThatSaysSomethingElseSaysNothing(String text) throws Exception {
        Envelope spoilt = sendHalf();
        Files.writeString(note(".settled", spoilt.id() + ".docs"), text);
        far.sent.clear();
        assertThat(outbox().forward(broker, 10)).isEqualTo(new Outbox.Forwarded(1, 0, 0, null));
        assertThat(far.sent).as("sent again").containsExactly(DOCS, TestHive.CODE);
        assertThat(hive.filesIn("outbox")).noneMatch(name -> name.contains("/.settled/"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a while ago",
                "2026-01-31T12:00:00Z\n",
                "2026-01-31T12:00:00Z co",
                "2026-01-31T12:00:00Z code",
                "2026-01-31T12:00:00Z\nco",
                "2026-01-31T12:00:00Z code\n\0",
                "then code\n"
            })
    void aBrokerNoteThatSaysSomethingElseSaysNothing(String text) throws Exception {
        Envelope spoilt = sendHalf();
        Envelope other = sendHalf();
        Files.writeString(note(".broker", spoilt.id().text()), text);
        assertThat(outbox().waiting())
                .extracting(Outbox.Item::id, Outbox.Item::atBrokerSince)
                .containsExactlyInAnyOrder(
                        tuple(spoilt.id(), null), tuple(other.id(), hive.clock.instant()));
        far.silent = TestHive.CODE;
        send(spoilt);
        assertThat(outbox().waiting())
                .as("noted anew")
                .extracting(Outbox.Item::atBrokerSince)
                .containsExactly(hive.clock.instant(), hive.clock.instant());
        far.silent = null;
        assertThat(outbox().forward(broker, 10)).isEqualTo(new Outbox.Forwarded(2, 0, 0, null));
    }

    @Test
    void aTornSettledNoteIsWrittenAnew() throws Exception {
        Envelope envelope = sendHalf();
        Files.writeString(note(".settled", envelope.id() + ".docs"), "arriv");
        far.silent = TestHive.CODE;
        send(envelope);
        far.sent.clear();
        assertThat(outbox().forward(broker, 10).left()).isEqualTo(1);
        assertThat(far.sent).containsExactly(TestHive.CODE);
    }

    @Test
    void aReasonOfSeveralLinesIsNotedWhole() throws Exception {
        Envelope envelope = toBoth();
        far.silent = TestHive.CODE;
        far.rejecting = DOCS;
        far.rejection = "not\nin this form\n";
        send(envelope);
        assertThat(note(".settled", envelope.id() + ".docs"))
                .hasContent("dead\nqueen://docs: not in this form\n");
    }

    @Test
    void whatABrokerHasOfMailForManyIsNoted() throws Exception {
        List<Domain> many = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            many.add(Domain.parse("%03d-%s".formatted(i, "long".repeat(15))));
        }
        Envelope envelope = hive.mail().seal();
        keep(envelope);
        new OutboxNotes(hive.files(), hive.layout.outbox(TEAM))
                .setAtBroker(envelope.id(), many, List.of(), hive.clock.instant());
        assertThat(outbox().waiting())
                .extracting(Outbox.Item::atBrokerSince)
                .containsExactly(hive.clock.instant());
    }

    @Test
    void aBrokerNoteThatAnotherProcessRemovesKeepsNothingBack() throws Exception {
        PassingDisk disk =
                new PassingDisk() {
                    @Override
                    public void touch(Path file, Instant modified) throws IOException {
                        Files.delete(file);
                        super.touch(file, modified);
                    }
                };
        far.silent = TestHive.CODE;
        try (FileTransport other = hive.open(disk)) {
            Outbox outbox = other.remote().outbox(TEAM);
            assertThat(results(outbox.send(toBoth(), broker)))
                    .containsExactly("docs Delivered", "code Spooled");
            assertThat(hive.events("rsm_envelope_spool")).hasSize(1);
            assertThat(outbox.forward(broker, 10)).isEqualTo(new Outbox.Forwarded(0, 0, 1, null));
        }
    }

    @Test
    void aFolderInThePlaceOfANoteKeepsItsOwnMailAlone() throws Exception {
        Envelope spoilt = sendHalf();
        Path note = note(".broker", spoilt.id().text());
        Files.delete(note);
        Files.createDirectories(note.resolve("inside"));
        keep(toBoth());
        assertThat(outbox().waiting()).hasSize(2);
        assertThat(outbox().forward(broker, 10).sent()).isEqualTo(1);
    }

    @Test
    void whatWasNotedOfMailThatIsTornIsForgotten() throws Exception {
        Envelope envelope = sendHalf();
        Files.write(hive.layout.outbox(TEAM).resolve(envelope.id() + ".md"), new byte[0]);
        keep(envelope);
        far.sent.clear();
        assertThat(outbox().forward(broker, 10)).isEqualTo(new Outbox.Forwarded(1, 0, 0, null));
        assertThat(far.sent).containsExactly(DOCS, TestHive.CODE);
    }

    /// Mail of which one copy is settled, and the other with a broker.
    private Envelope sendHalf() throws IOException {
        Envelope envelope = toBoth();
        far.silent = TestHive.CODE;
        send(envelope);
        far.silent = null;
        return envelope;
    }

    @Test
    void whoIsSilentIsWaitedForOnceInARound() throws Exception {
        for (int i = 0; i < 3; i++) {
            keep(hive.mail().seal());
        }
        far.silent = TestHive.CODE;
        assertThat(outbox().forward(broker, 10).left()).isEqualTo(3);
        assertThat(far.sendings).isEqualTo(1);
        far.silent = null;
        assertThat(outbox().forward(broker, 10).sent()).isEqualTo(3);
    }

    @Test
    void whoAnswersIsNotSaidToBeSilent() throws Exception {
        far.silent = TestHive.CODE;
        send(toBoth());
        hive.clock.advance(Outbox.SILENCE_MAX);
        far.silent = null;
        far.full = TestHive.CODE;
        assertThat(outbox().forward(broker, 10)).isEqualTo(new Outbox.Forwarded(0, 0, 1, null));
    }

    @Test
    void whoBecomesSilentIsSilentSinceThen() throws Exception {
        far.silent = TestHive.CODE;
        far.full = DOCS;
        send(toBoth());
        hive.clock.advance(Outbox.SILENCE_MAX);
        far.silent = DOCS;
        far.full = TestHive.CODE;
        assertThat(outbox().forward(broker, 10)).isEqualTo(new Outbox.Forwarded(0, 0, 1, null));
        hive.clock.advance(Outbox.SILENCE_MAX);
        assertThat(outbox().forward(broker, 10).trouble())
                .hasMessage("nobody receives for inbox docs: no receipt for 30 s");
    }

    @Test
    void aBrokenConnectionDoesNotChangeHowSeldomMailIsSent() throws Exception {
        Envelope envelope = hive.mail().ttl(Ttl.parse("1d")).seal();
        Instant since = hive.clock.instant();
        far.silent = TestHive.CODE;
        send(envelope);
        hive.clock.advance(Duration.ofMinutes(20));
        Outbox.Forwarded _ = outbox().forward(broker, 10);
        hive.clock.advance(Duration.ofMinutes(20));
        far.silent = null;
        far.cutOff = TestHive.CODE;
        Outbox.Forwarded _ = outbox().forward(broker, 10, Outbox.Pace.WHEN_DUE);
        assertThat(outbox().waiting())
                .extracting(Outbox.Item::atBrokerSince)
                .as("the broker has the mail still")
                .containsExactly(since);
        int before = far.sendings;
        far.cutOff = null;
        far.silent = TestHive.CODE;
        Outbox.Forwarded _ = outbox().forward(broker, 10, Outbox.Pace.WHEN_DUE);
        assertThat(far.sendings).as("due until the broker has it anew").isEqualTo(before + 1);
        hive.clock.advance(Duration.ofMinutes(20));
        Outbox.Forwarded _ = outbox().forward(broker, 10, Outbox.Pace.WHEN_DUE);
        assertThat(far.sendings).as("too early").isEqualTo(before + 1);
    }

    @Test
    void onlyWhoIsSilentIsSaidToBe() throws Exception {
        far.silent = TestHive.CODE;
        far.full = DOCS;
        send(toBoth());
        hive.clock.advance(Outbox.SILENCE_MAX);
        assertThat(outbox().forward(broker, 10).trouble())
                .hasMessage("nobody receives for inbox code: no receipt for 30 s");
    }

    @Test
    void onlyWhoIsSilentIsSaidToBeWhenNothingIsSent() throws Exception {
        far.silent = TestHive.CODE;
        far.full = DOCS;
        send(toBoth());
        hive.clock.advance(Outbox.SILENCE_MAX);
        Outbox.Forwarded _ = outbox().forward(broker, 10);
        int before = far.sendings;
        assertThat(outbox().forward(broker, 10, Outbox.Pace.WHEN_DUE).trouble())
                .hasMessage("nobody receives for inbox code: no receipt for 30 s");
        assertThat(far.sendings).as("too early").isEqualTo(before);
    }
}
