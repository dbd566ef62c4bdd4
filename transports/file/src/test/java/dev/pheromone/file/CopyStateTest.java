package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Outcome;
import dev.pheromone.State;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.InterposedDisk;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Ttl;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// What became of one copy is known without a look at all the others, of which there may be many.
final class CopyStateTest extends OneInbox {

    private static final Domain DOCS = Domain.parse("docs");

    @BeforeEach
    void docs() throws Exception {
        transport.createInbox(DOCS);
    }

    private Optional<State> state(Envelope envelope, Domain domain) throws Exception {
        return transport.stateOf(envelope.id(), domain);
    }

    private Envelope sentToBoth() throws Exception {
        Envelope envelope =
                hive.mail(List.of(Address.parse("queen://code"), Address.parse("queen://docs")))
                        .ttl(Ttl.parse("7d"))
                        .seal();
        transport.send(envelope);
        return envelope;
    }

    @Test
    void eachCopyHasItsOwn() throws Exception {
        Envelope envelope = sentToBoth();
        Claim claim = TestHive.take(inbox);
        assertThat(state(envelope, TestHive.CODE)).contains(State.ACTIVE);
        assertThat(state(envelope, DOCS)).contains(State.WAITING);
        inbox.settle(claim.token(), new Outcome.Done(""));
        assertThat(state(envelope, TestHive.CODE)).contains(State.DONE);
        assertThat(state(envelope, DOCS)).contains(State.WAITING);
        assertThat(state(envelope, Domain.parse("ops"))).isEmpty();
        assertThat(state(hive.mail().seal(), TestHive.CODE)).isEmpty();
    }

    @Test
    void whatGoesBackWhileSomebodyLooksIsFound() throws Exception {
        Envelope envelope = hive.mail().seal();
        transport.send(envelope);
        String token = TestHive.take(inbox).token();
        InterposedDisk disk =
                new InterposedDisk(
                        // By then the inbox was looked at.
                        what -> what.equals("list " + hive.layout.active(TestHive.CODE)),
                        () -> inbox.settle(token, new Outcome.Released("")));
        try (FileTransport other = hive.open(disk)) {
            assertThat(other.catalog().find(envelope.id().text())).hasSize(1);
        }
        assertThat(disk.isPlayed()).isTrue();
    }

    @Test
    void whatEndedOtherwiseIsNotDone() throws Exception {
        Envelope envelope = sentToBoth();
        for (int i = 0; i < 5; i++) {
            inbox.settle(TestHive.take(inbox).token(), new Outcome.Failed("broken"));
            hive.clock.advance(Duration.ofHours(1));
        }
        assertThat(state(envelope, TestHive.CODE)).contains(State.DEAD);
    }

    @Test
    void whatWasGivenBackWaits() throws Exception {
        Envelope envelope = sentToBoth();
        Inbox docs = transport.inbox(DOCS);
        Claim claim = TestHive.take(docs);
        docs.settle(claim.token(), new Outcome.Released("later", Duration.ofMinutes(1)));
        assertThat(state(envelope, DOCS)).contains(State.WAITING);
    }

    @Test
    void theArchiveIsNotLookedAt() throws Exception {
        Envelope envelope = sentToBoth();
        inbox.settle(TestHive.take(inbox).token(), new Outcome.Done(""));
        Path archive = hive.layout.hive().resolve("archive");
        Files.move(archive, root.resolve("elsewhere"));
        assertThat(state(envelope, TestHive.CODE)).contains(State.DONE);
    }
}
