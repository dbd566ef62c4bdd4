package dev.pheromone.file.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Outcome;
import dev.pheromone.SendResult;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeDraft;
import dev.pheromone.envelope.Priority;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.OneInbox;
import dev.pheromone.file.TestHive;

import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// What one sender may put into one inbox, and how loops of answers end.
final class SenderLimitTest extends OneInbox {

    private SendResult send(EnvelopeDraft draft) throws Exception {
        return send(draft.seal());
    }

    private SendResult send(Envelope envelope) throws Exception {
        return transport.send(envelope).copies().getFirst().result();
    }

    private void deliver(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            assertThat(send(hive.mail())).isInstanceOf(SendResult.Delivered.class);
        }
    }

    private EnvelopeDraft mail(String from, String to) {
        return Envelope.draft(Actor.parse(from), List.of(Address.parse(to)), Lane.CODE, "test")
                .ts(hive.clock.instant())
                .body("Again.\n");
    }

    @Test
    void sixtyAMinute() throws Exception {
        deliver(30);
        hive.clock.advance(Duration.ofSeconds(20));
        deliver(30);
        SendResult.Refused refused = (SendResult.Refused) send(hive.mail());
        assertThat(refused.retryAfter()).isEqualTo(Duration.ofSeconds(40));
        assertThat(send(mail("grace", "queen://code"))).isInstanceOf(SendResult.Delivered.class);
        assertThat(send(mail("ada", "queen://docs"))).isInstanceOf(SendResult.Delivered.class);

        hive.clock.advance(refused.retryAfter());
        deliver(30);
    }

    @Test
    void whatAWrongClockSaidToBeLaterKeepsNobodyOut() throws Exception {
        hive.clock.advance(Duration.ofHours(1));
        hive.countAsSent(60);
        hive.clock.advance(Duration.ofHours(-1));
        deliver(1);
        // Nor one who stays, and whose clock was set right meanwhile.
        deliver(59);
        assertThat(send(hive.mail())).isInstanceOf(SendResult.Refused.class);
        hive.clock.advance(Duration.ofHours(-1));
        deliver(1);
    }

    @Test
    void whatAWrongClockSaidToBeLaterIsClearedAway() throws Exception {
        hive.clock.advance(Duration.ofHours(1));
        hive.countAsSent(1_500);
        hive.clock.advance(Duration.ofHours(-1));
        deliver(1);
        assertThat(Files.size(hive.layout.senders(TestHive.CODE).resolve("ada"))).isLessThan(1_000);
    }

    @Test
    void fiveOfTheHighestClassAMinute() throws Exception {
        for (int i = 0; i < 5; i++) {
            assertThat(send(hive.mail().priority(Priority.P0)))
                    .isInstanceOf(SendResult.Delivered.class);
        }
        assertThat(send(hive.mail().priority(Priority.P0))).isInstanceOf(SendResult.Refused.class);
        assertThat(send(hive.mail().priority(Priority.P1)))
                .isInstanceOf(SendResult.Delivered.class);
    }

    @Test
    void aHundredWaiting() throws Exception {
        deliver(60);
        hive.clock.advance(Duration.ofSeconds(61));
        deliver(40);
        assertThat(send(hive.mail())).isInstanceOf(SendResult.Refused.class);

        inbox.settle(TestHive.take(inbox).token(), new Outcome.Done(""));
        deliver(1);
        assertThat(send(hive.mail())).isInstanceOf(SendResult.Refused.class);
    }

    @Test
    void whatWasSentBeforeIsNeverRefusedAndCountsOnce() throws Exception {
        Envelope first = hive.mail().seal();
        for (int i = 0; i < 100; i++) {
            send(first);
        }
        deliver(59);
        assertThat(send(hive.mail())).isInstanceOf(SendResult.Refused.class);
        assertThat(send(first)).isInstanceOf(SendResult.Duplicate.class);
    }

    @Test
    void otherProcessesKnow() throws Exception {
        deliver(60);
        try (FileTransport other = hive.open()) {
            assertThat(other.send(hive.mail().seal()).copies().getFirst().result())
                    .isInstanceOf(SendResult.Refused.class);
        }
    }

    @Test
    void aLostLedgerIsHarmless() throws Exception {
        deliver(60);
        try (Stream<Path> ledgers = Files.list(hive.layout.senders(TestHive.CODE))) {
            for (Path ledger : ledgers.toList()) {
                Files.delete(ledger);
            }
        }
        deliver(1);
    }

    @Test
    void aTornLedgerIsReadAsFarAsItGoes() throws Exception {
        deliver(59);
        Path ledger = hive.layout.senders(TestHive.CODE).resolve("ada");
        Files.writeString(ledger, Files.readString(ledger) + "17 nonsense\n\n\u0000 1 2 3\n");
        try (FileTransport other = hive.open()) {
            assertThat(other.send(hive.mail().seal()).copies().getFirst().result())
                    .isInstanceOf(SendResult.Delivered.class);
            assertThat(other.send(hive.mail().seal()).copies().getFirst().result())
                    .isInstanceOf(SendResult.Refused.class);
        }
    }

    @Test
    void aLongLedgerIsReadFromItsEndAndLeftAsItIs() throws Exception {
        Path ledger = hive.layout.senders(TestHive.CODE).resolve("ada");
        Files.createDirectories(ledger.getParent());
        StringBuilder old = new StringBuilder();
        for (int i = 0; i < 3_000; i++) {
            old.append("1700000000000 ").append(hive.mail().seal().id()).append(" P2 0\n");
        }
        Files.writeString(ledger, "cleared " + old.length() + "\n" + old);
        hive.countAsSent(59);
        SenderLedger own = new SenderLedger(hive.files(), hive.layout, TestHive.CODE, "ada");
        assertThat(own.traffic(hive.clock.instant()).perMinute(hive.clock.instant())).isEqualTo(59);
        assertThat(own.waiting(10_000)).isLessThan(1_000);
        assertThat(own.waiting(1_000)).isZero();
        own.add(hive.mail().seal(), hive.clock.instant());
        assertThat(Files.readAllLines(ledger)).hasSize(1 + 3_000 + 59 + 1);
        assertThat(own.traffic(hive.clock.instant()).perMinute(hive.clock.instant())).isEqualTo(60);
    }

    @Test
    void aLedgerStaysSmallHoweverMuchIsSent() throws Exception {
        Path ledger = hive.layout.senders(TestHive.CODE).resolve("ada");
        SenderLedger own = new SenderLedger(hive.files(), hive.layout, TestHive.CODE, "ada");
        for (int i = 0; i < 3_000; i++) {
            own.add(hive.mail().seal(), hive.clock.instant());
            hive.clock.advance(Duration.ofSeconds(1));
        }
        assertThat(Files.size(ledger)).isLessThan(70_000);
        assertThat(own.traffic(hive.clock.instant()).perMinute(hive.clock.instant())).isEqualTo(59);
        assertThat(own.waiting(10)).isZero();
    }

    @Test
    void aPairThatAnswersForEverIsStopped() throws Exception {
        transport.createInbox(Domain.parse("worker-ping"));
        transport.createInbox(Domain.parse("worker-pong"));
        int exchanged = 0;
        while (exchanged < 100
                && send(mail("ping", "worker://pong")) instanceof SendResult.Delivered
                && send(mail("pong", "worker://ping")) instanceof SendResult.Delivered) {
            exchanged++;
        }
        assertThat(exchanged).isEqualTo(20);
        SendResult.Refused refused = (SendResult.Refused) send(mail("ping", "worker://pong"));
        assertThat(refused.reason()).contains("a loop");
        assertThat(send(mail("ada", "worker://pong"))).isInstanceOf(SendResult.Delivered.class);

        hive.clock.advance(refused.retryAfter());
        assertThat(send(mail("ping", "worker://pong"))).isInstanceOf(SendResult.Delivered.class);
    }

    @Test
    void aOneSidedReportIsNoLoop() throws Exception {
        transport.createInbox(Domain.parse("worker-pong"));
        for (int i = 0; i < 50; i++) {
            assertThat(send(mail("ping", "worker://pong")))
                    .isInstanceOf(SendResult.Delivered.class);
        }
    }

    @Test
    void answersToAnswersAreLimitedWhoeverOwnsTheInbox() throws Exception {
        for (int i = 0; i < 20; i++) {
            assertThat(send(hive.mail().hops(2))).isInstanceOf(SendResult.Delivered.class);
        }
        assertThat(send(hive.mail().hops(3))).isInstanceOf(SendResult.Refused.class);
        assertThat(send(hive.mail().hops(1))).isInstanceOf(SendResult.Delivered.class);
    }

    private List<String> refusals() throws Exception {
        return hive.events("sender_refused").stream()
                .map(event ->
                        event.data().text("sender")
                                + " "
                                + event.data().text("inbox")
                                + " "
                                + event.data().number("count"))
                .toList();
    }

    @Test
    void aRunawaySenderIsToldAtOnceAndThenOnceAMinuteWithACount() throws Exception {
        deliver(60);
        for (int i = 0; i < 10; i++) {
            assertThat(send(hive.mail())).isInstanceOf(SendResult.Refused.class);
        }
        assertThat(refusals()).containsExactly("ada code 1");
        assertThat(hive.events("sender_refused").getFirst().data().text("reason"))
                .contains("found 60 from this sender in the last minute");
        assertThat(transport.refused(TestHive.CODE))
                .singleElement()
                .satisfies(refused -> assertThat(refused.count()).isEqualTo(10));

        hive.clock.advance(Duration.ofSeconds(59));
        try (FileTransport other = hive.open()) {
            assertThat(other.send(hive.mail().seal()).copies().getFirst().result())
                    .isInstanceOf(SendResult.Refused.class);
        }
        assertThat(refusals()).hasSize(1);

        hive.clock.advance(Duration.ofSeconds(2));
        deliver(40);
        for (int i = 0; i < 5; i++) {
            assertThat(send(hive.mail())).isInstanceOf(SendResult.Refused.class);
        }
        assertThat(refusals()).containsExactly("ada code 1", "ada code 11");
        assertThat(hive.filesIn("state/code/refused")).hasSize(1);
    }

    @Test
    void whatARunawaySenderLeftIsToldWhenItHasStopped() throws Exception {
        deliver(60);
        for (int i = 0; i < 10; i++) {
            send(hive.mail());
        }
        transport.upkeep().housekeep();
        assertThat(refusals()).hasSize(1);
        hive.clock.advance(Duration.ofSeconds(61));
        transport.upkeep().housekeep();
        assertThat(refusals()).containsExactly("ada code 1", "ada code 9");
        assertThat(hive.filesIn("state/code/refused")).isEmpty();
        hive.clock.advance(Duration.ofSeconds(61));
        transport.upkeep().housekeep();
        assertThat(refusals()).hasSize(2);
    }

    @Test
    void whatIsRefusedForManyAtOnceIsToldByOne() throws Exception {
        deliver(60);
        try (ExecutorService processes = Executors.newFixedThreadPool(4)) {
            List<Future<?>> sends = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                sends.add(
                        processes.submit(() -> {
                            try (FileTransport own = hive.open()) {
                                for (int mail = 0; mail < 25; mail++) {
                                    own.send(hive.mail().seal());
                                }
                            }
                            return null;
                        }));
            }
            for (Future<?> send : sends) {
                send.get(60, TimeUnit.SECONDS);
            }
        }
        assertThat(refusals()).containsExactly("ada code 1");
        assertThat(transport.refused(TestHive.CODE).getFirst().count()).isEqualTo(100);
    }

    @Test
    void ofTheFirstRefusalsAtOnceEachIsCounted() throws Exception {
        deliver(60);
        try (ExecutorService processes = Executors.newFixedThreadPool(4)) {
            for (int round = 0; round < 50; round++) {
                CyclicBarrier start = new CyclicBarrier(4);
                List<Future<?>> sends = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    Envelope mail = hive.mail().seal();
                    sends.add(
                            processes.submit(() -> {
                                start.await(60, TimeUnit.SECONDS);
                                return transport.send(mail);
                            }));
                }
                for (Future<?> send : sends) {
                    send.get(60, TimeUnit.SECONDS);
                }
                assertThat(transport.refused(TestHive.CODE).getFirst().count()).isEqualTo(4);
                Files.delete(hive.layout.refused(TestHive.CODE).resolve("ada"));
            }
        }
    }

    @Test
    void aDuplicateAndAFullInboxAreNoRefusalOfTheSender() throws Exception {
        Envelope first = hive.mail().seal();
        send(first);
        deliver(59);
        assertThat(send(first)).isInstanceOf(SendResult.Duplicate.class);
        assertThat(refusals()).isEmpty();
    }

    @Test
    void aNoteThatIsNoneOfOursStopsNobody() throws Exception {
        deliver(60);
        Path notes = Files.createDirectories(hive.layout.refused(TestHive.CODE));
        Files.writeString(notes.resolve("ada"), "nonsense");
        assertThat(send(hive.mail())).isInstanceOf(SendResult.Refused.class);
        assertThat(refusals()).containsExactly("ada code 1");
        Files.delete(notes.resolve("ada"));
        Files.createDirectory(notes.resolve("ada"));
        assertThat(send(hive.mail())).isInstanceOf(SendResult.Refused.class);
        transport.upkeep().housekeep();
    }

    @Test
    void aCountThatCantBeWrittenStopsNoMail() throws Exception {
        Files.createDirectories(hive.layout.state(TestHive.CODE));
        Files.writeString(hive.layout.senders(TestHive.CODE), "not a folder");
        deliver(3);
        assertThat(transport.problems()).isNotEmpty();
    }
}
