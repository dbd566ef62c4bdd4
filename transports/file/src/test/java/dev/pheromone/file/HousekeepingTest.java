package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.State;
import dev.pheromone.Ttl;

import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.time.Duration;

/// What a hive needs is done even if nobody sends or selects.
final class HousekeepingTest extends OneInbox {

    @Test
    void expiredMailIsArchived() throws Exception {
        transport.send(hive.mail().ttl(Ttl.parse("10s")).seal());
        hive.clock.advance(Duration.ofSeconds(11));

        assertThat(transport.housekeep()).isEmpty();

        assertThat(TestHive.states(transport)).containsExactly(State.EXPIRED);
    }

    @Test
    void aLostClaimComesBack() throws Exception {
        transport.send(hive.mail().seal());
        TestHive.take(inbox);
        hive.clock.advance(TestHive.LEASE.duration().plusSeconds(1));

        transport.housekeep();

        assertThat(TestHive.states(transport)).containsExactly(State.WAITING);
    }

    @Test
    void whatIsNoMailIsCleared() throws Exception {
        for (int i = 0; i < 40; i++) {
            Files.writeString(
                    hive.layout.inbox(TestHive.CODE).resolve("note" + i + ".md"), "no header");
        }
        hive.clock.advance(Duration.ofSeconds(30));

        transport.housekeep();

        assertThat(hive.filesIn("inbox/code")).isEmpty();
        assertThat(hive.filesIn("archive/code/dead")).hasSize(40);
    }
}
