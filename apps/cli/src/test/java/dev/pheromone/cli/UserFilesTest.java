package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.UserFiles;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

class UserFilesTest {

    @TempDir Path folder;

    private Session session;
    private UserFiles files;

    @BeforeEach
    void begin() {
        session = new Session(folder);
        files =
                new UserFiles(
                        session.surroundings(
                                "typed",
                                OutputStream.nullOutputStream(),
                                OutputStream.nullOutputStream()));
    }

    @Test
    void aPathIsTakenFromTheCurrentFolder() throws IOException {
        Files.writeString(folder.resolve("note.md"), "hello");
        assertThat(files.read("./note.md", 100)).isEqualTo("hello".getBytes(UTF_8));
    }

    @Test
    void aDashIsStandardInput() throws IOException {
        assertThat(files.read("-", 100)).isEqualTo("typed".getBytes(UTF_8));
    }

    @Test
    void theLimitItselfIsAllowedAndOneByteMoreIsNot() throws IOException {
        Files.writeString(folder.resolve("note.md"), "12345");
        assertThat(files.read("note.md", 5)).hasSize(5);
        assertThatThrownBy(() -> files.read("note.md", 4))
                .hasMessage("note.md is larger than 4 bytes");
        assertThatThrownBy(() -> files.readInput(4))
                .hasMessage("standard input is larger than 4 bytes");
    }

    @Test
    void whatIsMissingOrAFolderIsSaidSo() {
        assertThatThrownBy(() -> files.read("none.md", 5)).hasMessage("none.md: no such file");
        assertThatThrownBy(() -> files.read(".", 5)).hasMessage(". is a folder, expected a file");
        assertThatThrownBy(() -> files.read("a\0b", 5)).isInstanceOf(CliException.class);
    }

    @Test
    void theConfigurationFolderFollowsXdgIfThatIsAbsolute() {
        assertThat(files.configFolder()).isEqualTo(session.home.resolve(".config/pheromone"));
        session.env.put("XDG_CONFIG_HOME", "/etc/you");
        assertThat(new UserFiles(session.surroundings()).configFolder())
                .isEqualTo(Path.of("/etc/you/pheromone"));
        session.env.put("XDG_CONFIG_HOME", "relative");
        assertThat(new UserFiles(session.surroundings()).configFolder())
                .isEqualTo(session.home.resolve(".config/pheromone"));
    }
}
