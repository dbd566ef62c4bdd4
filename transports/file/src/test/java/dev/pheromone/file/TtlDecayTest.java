package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Outcome;
import dev.pheromone.State;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.file.copy.FileLimits;
import dev.pheromone.selection.Waiting;
import dev.pheromone.trust.TrustList;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Section 10 of the specification, "TTL/decay": what is expired is archived and never processed,
/// and time changes the order of the rest.
final class TtlDecayTest extends OneInbox {

    /// Without limits: an inbox as old as this one would be drained, in another order.
    @Override
    @BeforeEach
    public void open() throws Exception {
        hive = new TestHive(root);
        transport =
                hive.open(
                        new LocalDisk(),
                        StormHive.patient(),
                        TrustList.empty(),
                        FileLimits.defaults());
        inbox = transport.inbox(TestHive.CODE);
    }

    private Envelope send(Priority priority, String ttl) throws Exception {
        Envelope envelope = hive.mail().priority(priority).ttl(Ttl.parse(ttl)).seal();
        transport.send(envelope);
        return envelope;
    }

    @Nested
    final class WhatIsExpired {

        @Test
        void isArchivedAsItWasAndNeverProcessed() throws Exception {
            Envelope envelope = send(Priority.P0, "1m");
            hive.clock.advance(Duration.ofMinutes(1));

            TestHive.assertNothing(inbox);

            assertThat(TestHive.states(transport)).containsExactly(State.EXPIRED);
            String archived = hive.filesIn("archive/code/expired").getFirst();
            assertThat(Files.readAllBytes(root.toRealPath().resolve(Path.of(archived))))
                    .isEqualTo(envelope.bytes());
            assertThat(hive.events("pheromone_expire")).hasSize(1);
            for (String processed : List.of("rsm_envelope_recv", "queen_select", "worker_spawn")) {
                assertThat(hive.events(processed)).as(processed).isEmpty();
            }
        }

        @Test
        void doesNotStandInTheWayOfTheRest() throws Exception {
            for (int i = 0; i < 20; i++) {
                send(Priority.P1, "1m");
            }
            Envelope living = send(Priority.P3, "1h");
            hive.clock.advance(Duration.ofMinutes(1));

            assertThat(TestHive.take(inbox).envelope().id()).isEqualTo(living.id());
            TestHive.assertNothing(inbox);
            assertThat(hive.filesIn("archive/code/expired")).hasSize(20);
            assertThat(hive.events("pheromone_expire")).hasSize(20);
        }

        @Test
        void isNotTakenAgainAfterAFailure() throws Exception {
            send(Priority.P0, "30s");
            Claim claim = TestHive.take(inbox);
            hive.clock.advance(Duration.ofSeconds(40));

            inbox.settle(claim.token(), new Outcome.Failed("too slow"));

            TestHive.assertNothing(inbox);
            assertThat(TestHive.states(transport)).containsExactly(State.EXPIRED);
        }

        @Test
        void mayBeFinishedByWhoeverTookItInTime() throws Exception {
            send(Priority.P0, "30s");
            Claim claim = TestHive.take(inbox);
            hive.clock.advance(Duration.ofSeconds(40));

            assertThat(inbox.settle(claim.token(), new Outcome.Done(""))).isEqualTo(TestHive.DONE);
            assertThat(hive.events("pheromone_expire")).isEmpty();
        }

        @Test
        void staysUntilAPersonApprovesIfTheHiveSaysSo() throws Exception {
            Files.writeString(hive.layout.hive().resolve("hive.yaml"), "archive: approve\n");
            try (FileTransport approving = hive.openReally()) {
                Inbox code = approving.inbox(TestHive.CODE);
                approving.send(hive.mail().ttl(Ttl.parse("1m")).seal());
                hive.clock.advance(Duration.ofMinutes(1));

                TestHive.assertNothing(code);
                assertThat(hive.filesIn("archive")).isEmpty();

                assertThat(approving.upkeep().archiveExpired()).isEqualTo(1);
                assertThat(TestHive.states(approving)).containsExactly(State.EXPIRED);
            }
        }
    }

    @Nested
    final class Decay {

        @Test
        void letsWhatLivesLongerPass() throws Exception {
            Envelope shortLived = send(Priority.P0, "12m");
            Envelope longLived = send(Priority.P1, "1d");
            assertThat(waiting()).containsExactly(shortLived.id().text(), longLived.id().text());

            hive.clock.advance(Duration.ofMinutes(7));

            assertThat(waiting()).containsExactly(longLived.id().text(), shortLived.id().text());
            Claim first = TestHive.take(inbox);
            assertThat(first.envelope().id()).isEqualTo(longLived.id());
            assertThat(first.rationale()).contains("P1, age 7m of 1d", "effective P1");
            Claim second = TestHive.take(inbox);
            assertThat(second.rationale()).contains("P0, age 7m of 12m", "w 1.6", "effective P2");
        }

        @Test
        void neverKeepsWhatIsAboutToBeLostFromItsTurn() throws Exception {
            Envelope nearlyLost = send(Priority.P3, "10m");
            for (int i = 0; i < 6; i++) {
                send(Priority.P0, "1h");
            }
            List<String> taken = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                taken.add(TestHive.take(inbox).envelope().id().text());
            }

            assertThat(taken.subList(0, 3)).doesNotContain(nearlyLost.id().text());
            assertThat(taken.get(3)).isEqualTo(nearlyLost.id().text());
            assertThat(hive.events("queen_select").getLast().data().text("rationale"))
                    .contains("due turn, due in ");
        }

        private List<String> waiting() throws Exception {
            List<String> ids = new ArrayList<>();
            for (Waiting item : inbox.waiting()) {
                ids.add(((Waiting.Mail) item).header().id().text());
            }
            return ids;
        }
    }
}
