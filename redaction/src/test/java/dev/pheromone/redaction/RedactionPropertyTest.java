package dev.pheromone.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/// What holds for every text: tried with pieces of the corpus, glued together in all ways.
class RedactionPropertyTest {

    private static final int RUNS = Boolean.getBoolean("rsm.long") ? 100_000 : 3_000;

    private static final PrivateWords WORDS =
            new PrivateWords(List.of("lovelace"), List.of("plans/merger.md", "*.p12"), List.of());

    private static final List<String> GLUE =
            List.of(
                    "",
                    " ",
                    "\n",
                    "\r\n",
                    "=",
                    ": ",
                    "\"",
                    "@",
                    "/",
                    "[REDACTED:x]",
                    "[",
                    "\uFFFC",
                    "é🐜");

    private final long seed = Long.getLong("rsm.seed", System.nanoTime());
    private final RandomGenerator random = RandomGeneratorFactory.getDefault().create(seed);
    private final Redactor redactor = new Redactor(Rules.builtIn(), WORDS);

    @Test
    void redactingAgainFindsNothing() throws IOException {
        List<Corpus.Row> rows = Corpus.rows(seed);
        for (int run = 0; run < RUNS; run++) {
            String text = text(rows);
            Redaction once = redactor.redact(text);
            Redaction twice = redactor.redact(once.after());

            String context = "-Drsm.seed=" + seed + ", text: " + text;
            assertThat(twice.isClean()).as(context).isTrue();
            assertThat(twice.after()).as(context).isEqualTo(once.after());
            assertThat(patched(once)).as(context).isEqualTo(withLastLineEnd(once.after()));
            assertThat(once.isClean()).as(context).isEqualTo(once.diff().isEmpty());
        }
    }

    private String text(List<Corpus.Row> rows) {
        StringBuilder text = new StringBuilder();
        int pieces = random.nextInt(1, 8);
        for (int i = 0; i < pieces; i++) {
            String piece = rows.get(random.nextInt(rows.size())).text();
            boolean isCut = random.nextInt(4) == 0;
            text.append(isCut ? piece.substring(random.nextInt(piece.length())) : piece)
                    .append(GLUE.get(random.nextInt(GLUE.size())));
        }
        return text.toString();
    }

    /// The text before, changed as the diff says: what everybody's `patch` would make of it.
    private static String patched(Redaction redaction) {
        List<String> before = lines(redaction.before());
        List<String> after = new ArrayList<>();
        int at = 0;
        for (String line : lines(redaction.diff())) {
            if (line.startsWith("@@")) {
                int first = Integer.parseInt(line.substring(4, line.indexOf(',')));
                after.addAll(before.subList(at, first - 1));
                at = first - 1;
            } else if (line.startsWith("+")) {
                after.add(line.substring(1));
            } else {
                assertThat(line.substring(1)).isEqualTo(before.get(at++));
                if (line.startsWith(" ")) {
                    after.add(line.substring(1));
                }
            }
        }
        after.addAll(before.subList(at, before.size()));
        return after.isEmpty() ? "" : String.join("\n", after) + "\n";
    }

    private static List<String> lines(String text) {
        return text.isEmpty()
                ? List.of()
                : List.of(withLastLineEnd(text).split("(?<=\n)")).stream()
                        .map(line -> line.substring(0, line.length() - 1))
                        .toList();
    }

    private static String withLastLineEnd(String text) {
        return text.isEmpty() || text.endsWith("\n") ? text : text + "\n";
    }
}
