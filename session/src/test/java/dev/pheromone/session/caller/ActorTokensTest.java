package dev.pheromone.session.caller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.address.Actor;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

class ActorTokensTest {

    private static final Actor CODEX = new Actor("codex-19be");
    private static final Actor CLAUDE = new Actor("claude-7f3a");

    @TempDir Path folder;
    private ActorTokens tokens;

    @BeforeEach
    void open() {
        tokens = new ActorTokens(new UserFolder(folder.resolve("pheromone")));
    }

    private String tokenOf(Actor actor) throws IOException {
        return Files.readString(tokens.file(actor)).strip();
    }

    @Test
    void aTokenSaysWhoseItIs() throws Exception {
        String codex = tokenOf(CODEX);
        String claude = tokenOf(CLAUDE);
        assertThat(tokens.holder(codex)).contains(CODEX);
        assertThat(tokens.holder(claude)).contains(CLAUDE);
        assertThat(codex).isNotEqualTo(claude).hasSizeGreaterThan(40);
    }

    @Test
    void anActorHasOneToken() throws Exception {
        assertThat(tokenOf(CODEX)).isEqualTo(tokenOf(CODEX));
    }

    @Test
    void othersAreNobodys() throws Exception {
        String codex = tokenOf(CODEX);
        assertThat(tokens.holder("")).isEmpty();
        assertThat(tokens.holder(codex.substring(1))).isEmpty();
        assertThat(tokens.holder(codex + "x")).isEmpty();
    }

    @Test
    void withoutAnyThereIsNobody() {
        assertThat(tokens.holder(ActorTokens.newToken())).isEmpty();
    }

    @Test
    void aTokenIsTakenBackWithItsFile() throws Exception {
        String codex = tokenOf(CODEX);
        Files.delete(tokens.file(CODEX));
        assertThat(tokens.holder(codex)).isEmpty();
        assertThat(tokenOf(CODEX)).isNotEqualTo(codex);
    }

    @Test
    void aFileThatOthersCanReadLetsNobodyIn() throws Exception {
        String codex = tokenOf(CODEX);
        Files.setPosixFilePermissions(
                tokens.file(CODEX), PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(tokens.holder(codex)).isEmpty();
    }

    @Test
    void anEmptyFileLetsNobodyIn() throws Exception {
        Files.writeString(tokens.file(CODEX), "\n");
        assertThat(tokens.holder("")).isEmpty();
    }

    @Test
    void aNameThatIsNoFileNameIsRefused() {
        assertThatThrownBy(() -> tokens.file(new Actor("Codex.1")))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("expected small letters");
    }
}
