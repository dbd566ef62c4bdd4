package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Claim;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.State;
import dev.pheromone.disk.InterposedDisk;
import dev.pheromone.envelope.Envelope;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// Marks of work in progress that died with their process, or changed hands.
final class MarkRaceTest extends OneInbox {

    @Test
    void aMarkThatADeadProcessLeftStopsNobody() throws Exception {
        Envelope envelope = hive.mail().seal();
        transport.send(envelope);
        Files.createDirectories(hive.layout.running(TestHive.CODE));
        Files.writeString(
                hive.layout.running(TestHive.CODE).resolve(envelope.id().text()), "stale");

        assertThat(inbox.settle(TestHive.take(inbox).token(), new Outcome.Done("")))
                .isEqualTo(TestHive.DONE);
    }

    @Test
    void aReturnDoesNotRemoveTheMarkOfTheNextHolder() throws Exception {
        Envelope envelope = hive.mail().seal();
        transport.send(envelope);
        Claim first = TestHive.take(inbox);
        InterposedDisk disk =
                new InterposedDisk(
                        what -> what.startsWith("sync") && what.endsWith("/inbox/code"),
                        () -> TestHive.take(inbox));
        try (FileTransport slow = hive.open(disk)) {
            slow.inbox(TestHive.CODE).settle(first.token(), new Outcome.Released(""));
            assertThat(disk.isPlayed()).isTrue();
        }
        assertThat(hive.layout.running(TestHive.CODE).resolve(envelope.id().text())).exists();
        assertThat(TestHive.states(transport)).containsExactly(State.ACTIVE);
    }

    @Test
    void aReturnThatFindsItsMarkTakenOverLeavesItAlone() throws Exception {
        Envelope envelope = hive.mail().seal();
        transport.send(envelope);
        Claim first = TestHive.take(inbox);
        hive.write(envelope, "copy.md");
        // The first is on its way back, so that its mark looks stale to whoever takes the copy.
        CompletableFuture<Void> second = new CompletableFuture<>();
        InterposedDisk disk =
                new InterposedDisk(
                        what -> what.startsWith("remove") && what.contains("/.running/"),
                        () -> Thread.ofVirtual().start(() -> selectInto(second)));
        try (FileTransport slow = hive.open(disk)) {
            slow.inbox(TestHive.CODE).settle(first.token(), new Outcome.Released(""));
            assertThat(disk.isPlayed()).isTrue();
        }
        second.get(30, TimeUnit.SECONDS);
        while (inbox.select(TestHive.WORKER, TestHive.LEASE) instanceof Selection.Taken) {
            // Whatever is left.
        }
        assertThat(TestHive.states(transport)).containsOnlyOnce(State.ACTIVE);
    }

    @Test
    void aReturnThatADeadProcessBeganIsCompletedByWhoeverComesBy() throws Exception {
        Envelope envelope = hive.mail().seal();
        transport.send(envelope);
        String claim = TestHive.take(inbox).token() + ".md";
        Path returning = Files.createDirectories(hive.layout.returning(TestHive.CODE));
        Files.move(hive.layout.active(TestHive.CODE).resolve(claim), returning.resolve(claim));
        assertThat(TestHive.states(transport)).containsExactly(State.WAITING);
        assertThat(transport.catalog().find(envelope.id().text())).hasSize(1);

        hive.clock.advance(Duration.ofMinutes(5));
        TestHive.assertNothing(inbox);
        hive.clock.advance(Duration.ofSeconds(11));
        assertThat(TestHive.take(inbox).attempt()).isEqualTo(2);
    }

    @Test
    void ofTwoThatMeetAStaleMarkOneWorks() throws Exception {
        Envelope envelope = hive.mail().seal();
        transport.send(envelope);
        hive.write(envelope, "again.md");
        Files.createDirectories(hive.layout.running(TestHive.CODE));
        Files.writeString(
                hive.layout.running(TestHive.CODE).resolve(envelope.id().text()), "stale");
        // The other takes its copy just when the first is about to replace the mark.
        CompletableFuture<Void> second = new CompletableFuture<>();
        InterposedDisk disk =
                new InterposedDisk(
                        what -> what.startsWith("remove") && what.contains("/.running/"),
                        () -> Thread.ofVirtual().start(() -> selectInto(second)));
        try (FileTransport other = hive.open(disk)) {
            other.inbox(TestHive.CODE).select(TestHive.WORKER, TestHive.LEASE);
            assertThat(disk.isPlayed()).isTrue();
        }
        second.get(30, TimeUnit.SECONDS);
        while (inbox.select(TestHive.WORKER, TestHive.LEASE) instanceof Selection.Taken) {
            // Whatever is left.
        }
        assertThat(TestHive.states(transport)).containsExactly(State.ACTIVE, State.DUPLICATE);
    }

    private void selectInto(CompletableFuture<Void> done) {
        try {
            inbox.select(TestHive.WORKER, TestHive.LEASE);
            done.complete(null);
        } catch (IOException | RuntimeException e) {
            done.completeExceptionally(e);
        }
    }
}
