package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.cli.frame.Exit;

import org.junit.jupiter.api.Test;

import java.util.List;

class ExitTest {

    @Test
    void theCodesAreTheOnesThatScriptsRelyOn() {
        assertThat(Exit.values()).extracting(Exit::code).containsExactly(0, 1, 2, 3, 4, 5, 6, 75);
    }

    @Test
    void ofSeveralOutcomesTheWorstCounts() {
        assertThat(Exit.ofSeveral(List.of())).isEqualTo(Exit.DONE);
        assertThat(Exit.ofSeveral(List.of(Exit.DONE, Exit.REFUSED))).isEqualTo(Exit.REFUSED);
        assertThat(Exit.ofSeveral(List.of(Exit.REFUSED, Exit.WITHHELD))).isEqualTo(Exit.WITHHELD);
        assertThat(Exit.ofSeveral(List.of(Exit.WITHHELD, Exit.NOT_FOUND)))
                .isEqualTo(Exit.NOT_FOUND);
        assertThat(Exit.ofSeveral(List.of(Exit.NOT_FOUND, Exit.CONFLICT))).isEqualTo(Exit.CONFLICT);
        assertThat(Exit.ofSeveral(List.of(Exit.CONFLICT, Exit.FAILED))).isEqualTo(Exit.FAILED);
    }
}
