package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

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

    @Test
    void aSecretIsWrittenForItsOwnerAlone() throws IOException {
        Path file = files.configFolder().resolve("keys/you.key");
        files.writeSecret(file, "secret".getBytes(UTF_8));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
                .isEqualTo("rwx------");
        assertThat(files.readSecret(file)).isEqualTo("secret".getBytes(UTF_8));
        assertThat(files.list(file.getParent())).containsExactly(file);
    }

    @Test
    void aSecretIsNeverReplaced() throws IOException {
        Path file = files.configFolder().resolve("you.key");
        files.writeSecret(file, "first".getBytes(UTF_8));
        assertThatThrownBy(() -> files.writeSecret(file, "second".getBytes(UTF_8)))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThat(files.readSecret(file)).isEqualTo("first".getBytes(UTF_8));
    }

    @Test
    void aSecretThatOthersCouldReadIsRefused() throws IOException {
        Path file = folder.resolve("open.key");
        Files.writeString(file, "secret");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThatThrownBy(() -> files.readSecret(file))
                .isInstanceOf(CliException.class)
                .hasMessage(file + " holds a secret and has mode rw-r-----, expected rw-------");
    }

    @Test
    void aFolderThatIsNotThereIsEmpty() throws IOException {
        assertThat(files.list(folder.resolve("none"))).isEmpty();
    }
}
