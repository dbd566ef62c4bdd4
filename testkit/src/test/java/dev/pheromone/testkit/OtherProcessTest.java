package dev.pheromone.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Lag;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;

/// Another process waits for a slow transport, as the contract does.
final class OtherProcessTest {

    private static final Duration HIDDEN = Duration.ofMillis(50);
    private static final Duration LAG = HIDDEN.multipliedBy(10);

    @Test
    void itTakesWhatComesWithinTheLagAndSaysWhenNothingDoes() throws IOException {
        FakeClock clock = new FakeClock(Instant.parse("2025-10-15T17:10:00Z"));
        try (OtherProcess slow = OtherProcess.start(clock, Slow.class)) {
            assertThat(slow.take(CapabilityContract.LEASE)).isPresent();
            assertThat(slow.take(CapabilityContract.LEASE)).isEmpty();
        }
    }

    /// A process with one mail, which nobody sees at the first look.
    static final class Slow {

        private Slow() {}

        public static void main(String[] arguments) throws Exception {
            OtherProcess.obey(_ -> {
                Pretender hive = Pretender.slow(HIDDEN, new Lag(LAG, LAG));
                var _ = hive.send(hive.mail("late").seal());
                return hive.transport();
            });
        }
    }
}
