package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Address;
import dev.pheromone.Carrier;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.Receipt;
import dev.pheromone.disk.PassingDisk;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
        return transport.elsewhere().outbox(TEAM);
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
            assertThat(other.elsewhere().outbox(TEAM).forward(broker, 10).sent()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "arriv", "nowhere\nreason"})
    void aSettledNoteThatSaysSomethingElseKeepsItsOwnMailAlone(String text) throws Exception {
        Envelope spoilt = sendHalf();
        keepsItsOwnMailAlone(note(".settled", spoilt.id() + ".docs"), text);
    }

    @Test
    void aBrokerNoteThatSaysSomethingElseKeepsItsOwnMailAlone() throws Exception {
        Envelope spoilt = sendHalf();
        keepsItsOwnMailAlone(note(".broker", spoilt.id().text()), "a while ago");
    }

    /// Mail of which one copy is settled, and the other with a broker.
    private Envelope sendHalf() throws IOException {
        Envelope envelope = toBoth();
        far.silent = TestHive.CODE;
        send(envelope);
        far.silent = null;
        return envelope;
    }

    private void keepsItsOwnMailAlone(Path note, String text) throws IOException {
        Files.writeString(note, text);
        keep(toBoth());
        Outbox.Forwarded forwarded = outbox().forward(broker, 10);
        assertThat(forwarded.sent()).isEqualTo(1);
        assertThat(forwarded.left()).isEqualTo(1);
        assertThat(forwarded.trouble())
                .hasMessageContaining(note.toString())
                .hasMessageContaining("found \"" + text.lines().findFirst().orElse(""))
                .hasMessageContaining("expected");
        Files.delete(note);
        assertThat(outbox().forward(broker, 10).sent()).isEqualTo(1);
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
    void onlyWhoIsSilentIsSaidToBe() throws Exception {
        far.silent = TestHive.CODE;
        far.full = DOCS;
        send(toBoth());
        hive.clock.advance(Outbox.SILENCE_MAX);
        assertThat(outbox().forward(broker, 10).trouble())
                .hasMessage("nobody receives for inbox code: no receipt for 30 s");
    }
}
