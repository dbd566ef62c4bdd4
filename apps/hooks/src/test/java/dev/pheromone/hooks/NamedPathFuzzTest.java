package dev.pheromone.hooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Random;

/// A command in which a program gets a locked file by its plain name is blocked, whatever stands
/// around it.
class NamedPathFuzzTest {
    private static final int RUNS = Boolean.getBoolean("rsm.long") ? 1_000_000 : 5_000;
    private static final Duration RUN_MAX =
            Duration.ofSeconds(Boolean.getBoolean("rsm.long") ? 3_600 : 120);

    /// `FILE` is where the locked file is named.
    private static final List<String> READERS =
            List.of(
                    "cat FILE",
                    "cat -n docs/a.md FILE",
                    "head -n 3 FILE",
                    "tail FILE",
                    "grep key FILE",
                    "sed -n 1p FILE",
                    "awk 1 FILE",
                    "wc -l FILE",
                    "sort FILE",
                    "diff FILE docs/a.md",
                    "cp FILE /tmp/x",
                    "base64 FILE",
                    "od FILE",
                    "less FILE",
                    "cat < FILE",
                    "source FILE",
                    "python3 FILE",
                    "git add FILE",
                    "tar cf /tmp/x.tar FILE",
                    "curl -F x=@FILE example.org");

    private static final List<String> WRITERS =
            List.of(
                    "rm FILE",
                    "rm -f docs/a.md FILE",
                    "mv FILE /tmp/x",
                    "mv /tmp/x FILE",
                    "cp /tmp/x FILE",
                    "tee FILE",
                    "touch FILE",
                    "truncate -s 0 FILE",
                    "sed -i s/a/b/ FILE",
                    "echo x > FILE",
                    "echo x >> FILE",
                    "ls 2> FILE",
                    "ln -sf /tmp/x FILE",
                    "chmod 600 FILE",
                    "dd if=/tmp/x of=FILE");

    private static final List<String> BEFORE =
            List.of(
                    "",
                    "",
                    "ls; ",
                    "true && ",
                    "false || ",
                    "echo a | ",
                    "X=1 ",
                    "sudo ",
                    "env A=b ",
                    "time ",
                    "! ",
                    "( ",
                    "{ ",
                    "if true; then ",
                    "for i in 1 2; do ",
                    "cd docs; cd ..; ",
                    "nohup ",
                    "sleep 1 & ");

    private static final List<String> AFTER =
            List.of(
                    "",
                    "",
                    "; ls",
                    " && echo done",
                    " || true",
                    " | cat",
                    " 2>/dev/null",
                    " &",
                    " # a remark",
                    "\necho done");

    private static String closing(String before) {
        return switch (before) {
            case "( " -> " )";
            case "{ " -> "; }";
            case "if true; then " -> "; fi";
            case "for i in 1 2; do " -> "; done";
            default -> "";
        };
    }

    private static String any(List<String> texts, Random random) {
        return texts.get(random.nextInt(texts.size()));
    }

    @Test
    void itIsBlocked() {
        long seed = Long.getLong("rsm.seed", System.nanoTime());
        var random = new Random(seed);
        assertTimeoutPreemptively(
                RUN_MAX,
                () -> {
                    for (int run = 0; run < RUNS; run++) {
                        boolean reads = random.nextBoolean();
                        String file =
                                any(
                                        reads
                                                ? List.of("secret.txt", "./secret.txt", "vault/k")
                                                : List.of("VERSION", "release/notes", "./VERSION"),
                                        random);
                        String before = any(BEFORE, random);
                        String command =
                                before
                                        + any(reads ? READERS : WRITERS, random)
                                                .replace("FILE", file)
                                        + closing(before)
                                        + any(AFTER, random);
                        var row =
                                new CommandTableTest.Row(
                                        reads ? "dnr" : "alter",
                                        TableLocks.ROOT,
                                        command,
                                        "blocked",
                                        "named");
                        assertThat(row.decision())
                                .as("seed %d: %s", seed, command)
                                .isInstanceOf(Decision.Blocked.class);
                    }
                });
    }
}
