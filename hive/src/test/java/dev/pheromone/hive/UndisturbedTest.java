package dev.pheromone.hive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;

@Timeout(30)
class UndisturbedTest {

    @Test
    void anInterruptReachesTheCallerAfterwardsAndTheTaskNever() throws Exception {
        Thread.currentThread().interrupt();

        boolean disturbed = Undisturbed.call(() -> Thread.currentThread().isInterrupted());

        assertThat(disturbed).isFalse();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aFailureComesAsItIs() {
        assertThatThrownBy(() ->
                        Undisturbed.call(() -> {
                            throw new IOException("disk");
                        }))
                .isInstanceOf(IOException.class)
                .hasMessage("disk");
    }
}
