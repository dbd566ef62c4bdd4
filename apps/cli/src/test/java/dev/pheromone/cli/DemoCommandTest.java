package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;

/// What the guided tour shows a newcomer; that it goes well at all is shown by `ReadmeTest`.
class DemoCommandTest {

    @Test
    void claimsAreTypedByTheirShortNames(@TempDir Path folder) throws IOException {
        Session.Result tour = new Session(folder.toRealPath()).rsm("demo");

        assertThat(tour.exit()).as("%s", tour).isZero();
        assertThat(tour.out())
                .containsPattern("\\$ rsm ack [0-9a-z]{6}\\.2 done ")
                .containsPattern("\\$ rsm trace [0-9a-z]{6}\\.2\n")
                .doesNotContainPattern("rsm .*[0-9A-Z]{26}\\.[0-9]");
    }
}
