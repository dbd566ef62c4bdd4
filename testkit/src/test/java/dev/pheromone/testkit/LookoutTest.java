package dev.pheromone.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/// What is shown within a lag is found, on a slow machine too.
final class LookoutTest {

    private static final Duration LAG = Duration.ofMillis(20);

    @Test
    void aLookThatOutlastsTheLagIsFollowedByAnother() {
        long end = System.nanoTime() + LAG.toNanos();
        AtomicInteger looks = new AtomicInteger();
        int found =
                Lookout.within(
                        LAG,
                        () -> {
                            int look = looks.incrementAndGet();
                            // The first look is under way until the lag is over.
                            while (look == 1 && System.nanoTime() - end < LAG.toNanos()) {
                                Thread.onSpinWait();
                            }
                            return look;
                        },
                        look -> look == 2);
        assertThat(found).isEqualTo(2);
    }

    @Test
    void withoutALagThereIsOneLook() {
        AtomicInteger looks = new AtomicInteger();
        assertThat(Lookout.within(Duration.ZERO, looks::incrementAndGet, look -> look == 2))
                .isEqualTo(1);
    }

    @Test
    void whatDoesNotComeEndsTheLooksWithTheLastOne() {
        long begun = System.nanoTime();
        AtomicInteger looks = new AtomicInteger();
        int last = Lookout.within(LAG, looks::incrementAndGet, _ -> false);
        assertThat(last).isEqualTo(looks.get());
        assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(LAG.toNanos());
    }
}
