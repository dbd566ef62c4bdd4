package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;

/// A new hive for each test, and a session in it.
@Timeout(60)
abstract class OneHive {

    @TempDir Path folder;

    Session session;

    @BeforeEach
    void makeHive() throws IOException {
        session = new Session(folder.toRealPath());
        assertThat(session.rsm("init").exit()).isZero();
    }
}
