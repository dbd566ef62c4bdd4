package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;

/// The README's demo and first five minutes go as it says.
class ReadmeTest {

    @Test
    void goesAsWritten(@TempDir Path folder) throws Exception {
        Walkthrough walkthrough = Walkthrough.of(Documents.read("README.md"));

        assertThat(walkthrough.steps())
                .extracting(Walkthrough.Step::command)
                .anyMatch(command -> command.endsWith("rsm demo"))
                .anyMatch(command -> command.contains("rsm init"))
                .anyMatch(command -> command.contains("rsm send"))
                .anyMatch(command -> command.contains("rsm select"))
                .anyMatch(command -> command.contains("rsm ack"))
                .anyMatch(command -> command.contains("rsm log"));
        try (DocumentPlayer player = new DocumentPlayer(folder)) {
            assertThat(player.inCheckout().play(walkthrough)).isEmpty();
        }
    }

    /// What the walkthrough of any document finds, so that silence means something.
    @Nested
    class ALie {
        @TempDir Path folder;

        private String problemOf(String... lines) throws IOException {
            String text = "```console\n" + String.join("\n", lines) + "\n```\n";
            try (DocumentPlayer player = new DocumentPlayer(folder)) {
                return player.play(Walkthrough.of(text)).orElse("none");
            }
        }

        @Test
        void inTheOutputIsFoundWithItsLine() throws Exception {
            assertThat(problemOf("$ rsm init", "made two hives in /home/you/parser", "..."))
                    .startsWith("line 2: $ rsm init\nfound line");
        }

        @Test
        void aboutSuccessIsFound() throws Exception {
            assertThat(problemOf("$ rsm hepl", "...")).contains("ended with exit 2");
        }

        @Test
        void thatTakesOneEnvelopeForAnotherIsFound() throws Exception {
            assertThat(
                            problemOf(
                                    "$ rsm init",
                                    "...",
                                    "$ rsm send --to code one",
                                    "sent h0r9bg to queen://code, expires in 1d",
                                    "$ rsm send --to code two",
                                    "sent h0r9bg to queen://code, expires in 1d"))
                    .startsWith("line 6: ");
        }

        @Test
        void withAnIdThatOnlyThePageHasIsFound() {
            assertThatThrownBy(() ->
                            problemOf(
                                    "$ rsm send --to code one",
                                    "sent h0r9bg to queen://code, expires in 1d",
                                    "$ rsm trace h0r9bg",
                                    "..."))
                    .hasMessageStartingWith("line 4: found \"h0r9bg\", an id that only this page");
        }

        @Test
        void aboutWhatAShellMakesOfQuotesIsFound() throws Exception {
            assertThat(
                            problemOf(
                                    "$ rsm init --quiet",
                                    "...",
                                    "$ rsm send --to code \"the price is $5\" --quiet",
                                    "01M7GM3J5HECJMDG7M004VQ7AK",
                                    "$ rsm search \"price is\" | grep 'price is $5'",
                                    "..."))
                    .contains("line 6: ");
        }

        @Test
        void byOmissionIsFound() throws Exception {
            assertThat(problemOf("$ rsm init", "made a hive in /home/you/parser"))
                    .contains("expected no more lines");
        }

        @Test
        void isNotFoundWhereThereIsNone() throws Exception {
            assertThat(
                            problemOf(
                                    "$ rsm init",
                                    "made a hive in /home/you/parser",
                                    "...",
                                    "$ rsm send --to code --ttl 1h one",
                                    "sent h0r9bg to queen://code, expires in 1h",
                                    "# 2h later",
                                    "$ rsm select code",
                                    "rsm: error: nothing to take at queen://code",
                                    "$ echo 'two  $words' | tr a-z A-Z",
                                    "TWO  $WORDS",
                                    "$ cat <<END",
                                    "> $(rsm archive --state expired --json | tr , '\\n' | grep -c"
                                            + " done)",
                                    "> END",
                                    "0"))
                    .isEqualTo("none");
        }
    }
}
