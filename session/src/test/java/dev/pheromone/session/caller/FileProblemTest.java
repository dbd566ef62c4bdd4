package dev.pheromone.session.caller;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

class FileProblemTest {

    @Test
    void aBarePathGetsItsReason() {
        assertThat(FileProblem.describe(new NoSuchFileException("/a")))
                .isEqualTo("/a: no such file or folder");
        assertThat(FileProblem.describe(new AccessDeniedException("/a")))
                .isEqualTo("/a: permission denied");
        assertThat(
                        FileProblem.describe(
                                new FileSystemException("/a", null, "No space left on device")))
                .isEqualTo("/a: no space left on device");
    }

    @Test
    void aMissingReasonIsSaidToo() {
        assertThat(FileProblem.describe(new IOException())).isEqualTo("IOException");
        assertThat(FileProblem.describe(new FileSystemException("/a")))
                .isEqualTo("/a: the file system refused, without a reason");
    }
}
