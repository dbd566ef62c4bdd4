package dev.pheromone.cli.args;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class CompletionTest {

    private static final List<Opt> EVERYWHERE =
            List.of(
                    Opt.value("root", "DIR", "the hive's folder"),
                    Opt.flag("json", "as JSON").withLetter('j'));

    private static final List<Spec> SPECS =
            List.of(
                    Spec.of("ack", Group.AGENTS, "says how work went")
                            .required("ID", "which")
                            .required("STATUS", "how", List.of("accepted", "done", "error"))
                            .opt(Opt.choice("priority", "how urgent [P2]", List.of("P0", "P1")))
                            .opt(Opt.value("topic", "TEXT", "what it is about"))
                            .build(),
                    Spec.of("archive", Group.HUMANS, "the archive").build());

    @TempDir Path folder;

    /// What bash offers after these words are typed.
    private String bash(String... words) throws IOException {
        Path script = folder.resolve("rsm.bash");
        Files.writeString(script, BashCompletion.script(SPECS, EVERYWHERE));
        String typed = ShellWords.join(List.of(words));
        String probe =
                "source "
                        + ShellWords.quote(script.toString())
                        + "; COMP_WORDS=(rsm "
                        + typed
                        + "); COMP_CWORD="
                        + words.length
                        + "; _rsm; echo \"${COMPREPLY[@]}\"";
        Process bash =
                new ProcessBuilder("bash", "--norc", "-c", probe).redirectErrorStream(true).start();
        return new String(bash.getInputStream().readAllBytes(), UTF_8).strip();
    }

    @Test
    void bashCompletesCommandsOptionsAndChoices() throws IOException {
        assertThat(bash("a")).isEqualTo("ack archive");
        assertThat(bash("--root", "/x", "ar")).isEqualTo("archive");
        assertThat(bash("ack", "--p")).isEqualTo("--priority");
        assertThat(bash("ack", "--priority", "")).isEqualTo("P0 P1");
        assertThat(bash("ack", "k3f9x2", "d")).isEqualTo("done");
        assertThat(bash("ack", "--topic", "d")).isEmpty();
        assertThat(bash("archive", "--j")).isEqualTo("--json");
    }

    @Test
    void zshQuotesWhatItWouldTakeForSyntax() {
        assertThat(ZshCompletion.script(SPECS, EVERYWHERE))
                .startsWith("#compdef rsm\n")
                .contains("'--root=[the hive'\\''s folder]:DIR:_files'")
                .contains("'--priority=[how urgent \\[P2\\]]:P0|P1:(P0 P1)'")
                .contains("'2::STATUS:(accepted done error)'")
                .contains("'ack:says how work went'");
    }

    @Test
    void fishNamesEachOptionUnderItsCommand() {
        assertThat(FishCompletion.script(SPECS, EVERYWHERE))
                .contains("complete -c rsm -l root -r -F -d 'the hive\\'s folder'\n")
                .contains("complete -c rsm -l json -s j -d 'as JSON'\n")
                .contains("complete -c rsm -n __fish_use_subcommand -a archive -d 'the archive'\n")
                .contains(
                        "complete -c rsm -n '__fish_seen_subcommand_from ack' -l priority -x -a 'P0"
                                + " P1'");
    }
}
