package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.cli.frame.Surroundings;
import dev.pheromone.cli.frame.Terminal;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

class InstallCommandTest {

    @TempDir Path home;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int install(Path launcher, String... more) {
        List<String> words = new java.util.ArrayList<>(List.of("install"));
        words.addAll(List.of(more));
        Map<String, String> env = Map.of("PATH", "/usr/bin:" + home.resolve(".local/bin"));
        return new Rsm(
                        new Surroundings(
                                env,
                                home,
                                home,
                                "you",
                                InputStream.nullInputStream(),
                                out,
                                err,
                                InstantSource.system(),
                                Terminal.NONE,
                                launcher))
                .run(words);
    }

    @Test
    void linksTheLauncherAndTeachesTheShells() throws IOException {
        Path launcher = Files.createFile(home.resolve("checkout-rsm"));
        assertThat(install(launcher, "--json")).isZero();
        assertThat(new AnswerSchemas().problems("install", out.toString(StandardCharsets.UTF_8)))
                .isEmpty();
        assertThat(home.resolve(".local/bin/rsm")).isSymbolicLink();
        assertThat(Files.readSymbolicLink(home.resolve(".local/bin/rsm"))).isEqualTo(launcher);
        assertThat(home.resolve(".local/share/bash-completion/completions/rsm"))
                .content()
                .contains("complete -o default");
        assertThat(home.resolve(".local/share/zsh/site-functions/_rsm"))
                .content()
                .startsWith("#compdef rsm");
        assertThat(home.resolve(".config/fish/completions/rsm.fish"))
                .content()
                .contains("complete -c rsm");
    }

    @Test
    void doesSoAgainWithoutHarm() throws IOException {
        Path launcher = Files.createFile(home.resolve("checkout-rsm"));
        assertThat(install(launcher)).isZero();
        assertThat(install(launcher)).isZero();
    }

    @Test
    void leavesAnotherProgramOfThatNameAlone() throws IOException {
        Path taken = Files.createDirectories(home.resolve("bin")).resolve("rsm");
        Files.writeString(taken, "something else");
        assertThat(install(home.resolve("checkout-rsm"), "--dir", "bin")).isEqualTo(5);
        assertThat(taken).hasContent("something else");
    }

    @Test
    void leavesACompletionOfTheUsersOwnAlone() throws IOException {
        Path own = home.resolve(".config/fish/completions/rsm.fish");
        Files.createDirectories(own.getParent());
        Files.writeString(own, "# mine\n");
        assertThat(install(Files.createFile(home.resolve("checkout-rsm")))).isZero();
        assertThat(own).hasContent("# mine\n");
        assertThat(err.toString(StandardCharsets.UTF_8)).contains(own + " is not of rsm's making");
    }

    @Test
    void saysHowWhenItWasNotStartedByALauncher() {
        assertThat(install(null)).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("rsm: hint: in a checkout of the project:  ./rsm install");
    }

    @Test
    void saysWhatIsMissingInThePath() throws IOException {
        Path launcher = Files.createFile(home.resolve("checkout-rsm"));
        assertThat(install(launcher, "--dir", "elsewhere")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("export PATH=\"" + home.resolve("elsewhere"));
    }
}
