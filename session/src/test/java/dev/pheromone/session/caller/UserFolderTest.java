package dev.pheromone.session.caller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

class UserFolderTest {

    @TempDir Path folder;

    private UserFolder files;

    @BeforeEach
    void begin() {
        files = new UserFolder(folder.resolve("pheromone"));
    }

    @Test
    void aSecretIsWrittenForItsOwnerAlone() throws IOException {
        Path file = files.path().resolve("keys/you.key");
        UserFolder.writeSecret(file, "secret".getBytes(UTF_8));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
                .isEqualTo("rwx------");
        assertThat(UserFolder.readSecret(file)).isEqualTo("secret".getBytes(UTF_8));
        assertThat(files.list("keys")).containsExactly(file);
    }

    @Test
    void aSecretIsNeverReplaced() throws IOException {
        Path file = files.path().resolve("you.key");
        UserFolder.writeSecret(file, "first".getBytes(UTF_8));
        assertThatThrownBy(() -> UserFolder.writeSecret(file, "second".getBytes(UTF_8)))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThat(UserFolder.readSecret(file)).isEqualTo("first".getBytes(UTF_8));
    }

    @Test
    void aSecretThatOthersCouldReadIsRefused() throws IOException {
        Path file = folder.resolve("open.key");
        Files.writeString(file, "secret");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThatThrownBy(() -> UserFolder.readSecret(file))
                .isInstanceOf(ProblemException.class)
                .hasMessage(file + " holds a secret and has mode rw-r-----, expected rw-------");
    }

    @Test
    void aFolderThatIsNotThereIsEmpty() throws IOException {
        assertThat(files.list("none")).isEmpty();
    }
}
