package dev.pheromone.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.PublicCheck;
import dev.pheromone.Selection;
import dev.pheromone.Settlement;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.address.Reach;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Priority;
import dev.pheromone.selection.Waiting;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.NamedCaller;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.Passage;
import dev.pheromone.testkit.FakeClock;
import dev.pheromone.testkit.MemoryTransport;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// Mail that may not go out is passed over, without harm to what may.
final class ServedInboxTest {

    private static final Domain OPS = Domain.parse("ops");
    private static final Actor WORKER = Actor.parse("w1");
    private static final Lease LEASE = Lease.unattended(Duration.ofMinutes(5));

    /// Counts how often is taken from it, and may not take back.
    private static final class Counted implements Inbox {

        private final Inbox inbox;
        private int selections;
        private int returned;
        private boolean failing;

        Counted(Inbox inbox) {
            this.inbox = inbox;
        }

        @Override
        public Domain domain() {
            return inbox.domain();
        }

        @Override
        public List<Waiting> waiting() throws IOException {
            return inbox.waiting();
        }

        @Override
        public Selection select(Actor worker, Lease lease) throws IOException {
            selections++;
            return inbox.select(worker, lease);
        }

        @Override
        public void await(Duration timeout) throws IOException, InterruptedException {
            inbox.await(timeout);
        }

        @Override
        public Settlement renew(String claim) throws IOException {
            return inbox.renew(claim);
        }

        @Override
        public Settlement settle(String claim, Outcome outcome) throws IOException {
            returned++;
            if (failing) {
                throw new IOException("the disk is full");
            }
            return inbox.settle(claim, outcome);
        }
    }

    @TempDir Path root;
    private final FakeClock clock = new FakeClock(Instant.parse("2025-10-15T17:10:00Z"));
    private final MemoryTransport mail = new MemoryTransport(clock, OPS);

    private ServedInbox served(Inbox inbox) throws Exception {
        Files.createDirectories(root.resolve(".deia"));
        Caller caller = new NamedCaller("server", root, clock);
        OpenHive hive = OpenHive.of(caller, new HiveLayout(root.toRealPath()));
        return new ServedInbox(
                inbox, new Passage(caller, hive, PublicCheck.REFUSES_ALL, Reach.TEAM));
    }

    private void send(Consent consent, Priority priority) throws Exception {
        mail.send(
                Envelope.draft(
                                Actor.parse("ada"),
                                List.of(Address.parse("queen://ops")),
                                Lane.OPS,
                                "deploy")
                        .ts(clock.instant())
                        .consent(consent)
                        .priority(priority)
                        .body("now\n")
                        .seal());
    }

    private Counted inbox() throws Exception {
        return new Counted(mail.inbox(OPS));
    }

    @Test
    void whatWasTakenIsGivenOutAlthoughTheRestCanNotBeGivenBack() throws Exception {
        send(Consent.PRIVATE, Priority.P0);
        send(Consent.PRIVATE, Priority.P1);
        send(Consent.TEAM, Priority.P3);
        Counted inbox = inbox();
        ServedInbox served = served(inbox);
        inbox.failing = true;
        assertThat(served.select(WORKER, LEASE))
                .isInstanceOfSatisfying(
                        Selection.Taken.class,
                        taken ->
                                assertThat(taken.claim().envelope().consent())
                                        .isEqualTo(Consent.TEAM));
        assertThat(inbox.returned).isEqualTo(2);
    }

    @Test
    void whatCanNotBeTakenNowIsNoReasonToTakeTheRest() throws Exception {
        send(Consent.TEAM, Priority.P0);
        Counted inbox = inbox();
        ServedInbox served = served(inbox);
        Claim claim = ((Selection.Taken) inbox.select(WORKER, LEASE)).claim();
        inbox.settle(claim.token(), new Outcome.Released("later", Duration.ofHours(1)));
        send(Consent.PRIVATE, Priority.P1);
        assertThat(served.select(WORKER, LEASE)).isEqualTo(new Selection.Nothing());
        int before = inbox.selections;
        assertThat(served.select(WORKER, LEASE)).isEqualTo(new Selection.Nothing());
        assertThat(inbox.selections).isEqualTo(before);
        clock.advance(Duration.ofHours(2));
        assertThat(served.select(WORKER, LEASE)).isInstanceOf(Selection.Taken.class);
    }
}
