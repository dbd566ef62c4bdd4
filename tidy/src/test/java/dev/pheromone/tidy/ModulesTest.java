package dev.pheromone.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;

class ModulesTest {
    @Test
    void theRepositoryHasARootPom() {
        assertThat(Files.exists(Path.of("..", "pom.xml"))).isTrue();
    }
}
