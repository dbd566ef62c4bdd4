package dev.pheromone.hooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;

/// Garbage never hangs the reader of commands, nor makes it throw. The seed is new each time and is
/// in the message of a failure; `-Drsm.seed` replays it.
class ShellFuzzTest {
    private static final int RUNS = Boolean.getBoolean("rsm.long") ? 1_000_000 : 20_000;
    private static final Duration RUN_MAX =
            Duration.ofSeconds(Boolean.getBoolean("rsm.long") ? 3_600 : 120);
    private static final Duration ONE_MAX = Duration.ofSeconds(10);
    private static final List<String> PIECES =
            List.of(
                    "cat",
                    " ",
                    " ",
                    "secret.txt",
                    "'",
                    "\"",
                    "\\",
                    "$",
                    "$(",
                    ")",
                    "`",
                    "${",
                    "}",
                    "{",
                    "((",
                    "))",
                    "|",
                    "||",
                    "&&",
                    "&",
                    ";",
                    ";;",
                    "\n",
                    "<",
                    ">",
                    ">>",
                    "<<",
                    "<<<",
                    "<<EOF\n",
                    "EOF\n",
                    "<(",
                    "if ",
                    "then ",
                    "fi",
                    "for ",
                    "in ",
                    "do ",
                    "done",
                    "while ",
                    "case ",
                    "esac",
                    "function f ",
                    "f() ",
                    "[[ ",
                    " ]]",
                    "x=",
                    "x+=",
                    "a=(",
                    "a[",
                    "]",
                    "*",
                    "?",
                    "[",
                    "~",
                    "#",
                    "!",
                    "-c ",
                    "eval ",
                    "bash ",
                    "sh -c ",
                    "find . -exec ",
                    "xargs ",
                    "{} ",
                    "+ ",
                    "git ",
                    "sed ",
                    "awk ",
                    "python3 -c ",
                    "cd ",
                    "export ",
                    "{a,b}",
                    "{1..3}",
                    "$'\\x41'",
                    "%",
                    "=",
                    ":-",
                    "\t",
                    "\u00e4",
                    "\ud83d\ude00",
                    "\ud83d",
                    "\u0000",
                    "tar xf ",
                    "dd if=",
                    "return ",
                    "break ",
                    "exit ",
                    "$@",
                    "$1",
                    "$((",
                    "let ");

    private static Touches read(String command) {
        return ShellCommand.touches(command, Path.of("/repo"), Map.of("HOME", "/home/sam"));
    }

    @Test
    void garbageIsReadOrDoubted() {
        long seed = Long.getLong("rsm.seed", System.nanoTime());
        var random = new Random(seed);
        assertTimeoutPreemptively(
                RUN_MAX,
                () -> {
                    for (int run = 0; run < RUNS; run++) {
                        String command = garbage(random);
                        try {
                            assertThat(read(command)).isNotNull();
                        } catch (RuntimeException | StackOverflowError e) {
                            throw new AssertionError("seed " + seed + ": " + command, e);
                        }
                    }
                });
    }

    private static String garbage(Random random) {
        var text = new StringBuilder();
        int length = 1 + random.nextInt(24);
        for (int i = 0; i < length; i++) {
            text.append(PIECES.get(random.nextInt(PIECES.size())));
        }
        return text.toString();
    }

    /// A command of the table that was changed at random is still read, and one that only got more
    /// text after it still touches what it touched.
    @Test
    void changedCommandsAreReadOrDoubted() throws IOException {
        long seed = Long.getLong("rsm.seed", System.nanoTime());
        var random = new Random(seed);
        List<CommandTableTest.Row> rows = CommandTableTest.rows();
        assertTimeoutPreemptively(
                RUN_MAX,
                () -> {
                    for (int run = 0; run < RUNS; run++) {
                        var text =
                                new StringBuilder(rows.get(random.nextInt(rows.size())).command());
                        for (int change = random.nextInt(4);
                                change >= 0 && !text.isEmpty();
                                change--) {
                            int at = random.nextInt(text.length());
                            String piece = PIECES.get(random.nextInt(PIECES.size()));
                            text.replace(
                                    at, Math.min(text.length(), at + random.nextInt(3)), piece);
                        }
                        try {
                            assertThat(read(text.toString())).isNotNull();
                        } catch (RuntimeException | StackOverflowError e) {
                            throw new AssertionError("seed " + seed + ": " + text, e);
                        }
                    }
                });
    }

    @Test
    void whatFollowsABlockedCommandNeverFreesIt() throws IOException {
        List<String> all = List.of("; ls docs", " && echo done", "\necho done", " | cat");
        int rows = 0;
        for (CommandTableTest.Row row : CommandTableTest.rows()) {
            if (row.expected().equals("blocked") && !row.command().contains("\n")) {
                // In the short form one after each command, in turn.
                List<String> mores =
                        Boolean.getBoolean("rsm.long")
                                ? all
                                : List.of(all.get(rows++ % all.size()));
                for (String more : mores) {
                    var longer =
                            new CommandTableTest.Row(
                                    row.situation(),
                                    row.folder(),
                                    row.command() + more,
                                    "blocked",
                                    "longer");
                    // A text that could not be read has no meaning that more text would keep.
                    if (!read(row.command()).doubts().toString().contains("not understood")) {
                        assertThat(longer.decision())
                                .as(longer.command())
                                .isInstanceOf(Decision.Blocked.class);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(",
                "$(",
                "{ ",
                "\"$(",
                "${x:-",
                "if ",
                "`",
                "a=(",
                "((",
                "[[ ",
                "<(",
                "case x in x) ",
                "f() { ",
                "while ",
                "eval ",
                "sh -c ",
                "\\",
                "{a,",
                "!",
                "sudo ",
                "xargs ",
                "cat <<E\n",
                "x=$x$x;",
                "cd a;",
                "f() { f; }; f;",
                "a'b'",
                "find . -exec ",
                "{1..9}",
                "*",
                "~",
                "git -C x "
            })
    void nestingAndRepetitionEnd(String piece) {
        for (int count : List.of(10, 1_000, 60_000 / piece.length())) {
            assertTimeoutPreemptively(
                    ONE_MAX, () -> assertThat(read(piece.repeat(count))).isNotNull(), piece);
        }
    }

    @Test
    void aLongCommandIsDoubted() {
        assertThat(read("echo " + "a".repeat(100_000)).doubts()).isNotEmpty();
        assertThat(read("x=a;" + "x=$x$x;".repeat(60) + "cat $x").doubts()).isNotEmpty();
        assertThat(
                        read("for a in {1..60}; do for b in {1..60}; do for c in {1..60}; do ls"
                                        + " $a$b$c; done; done; done")
                                .doubts())
                .isNotEmpty();
    }
}
