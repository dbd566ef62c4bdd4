package dev.pheromone.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// How much of what must not become public is found, and how much else.
class CorpusTest {

    /// Each fills the rows with other characters.
    private static final int SEEDS = 20;

    private static final double RECALL_MIN = 0.97;
    private static final double FALSE_POSITIVES_MAX = 0.01;

    private static final PrivateWords WORDS =
            new PrivateWords(
                    List.of("lovelace"),
                    List.of("plans/merger.md", "vault/**/*.csv", "*.p12"),
                    List.of("5eed5eed0ddba11a5eed5eed0ddba11b5eed5eed0ddba11c5eed5eed0ddba11d"));

    @Test
    void mostSecretsAreFoundAndFewLookAlikes() throws IOException {
        Redactor redactor = new Redactor(Rules.builtIn(), WORDS);
        List<String> missed = new ArrayList<>();
        List<String> mistaken = new ArrayList<>();
        List<String> otherwise = new ArrayList<>();
        int secrets = 0;
        int lookAlikes = 0;
        for (int seed = 1; seed <= SEEDS; seed++) {
            for (Corpus.Row row : Corpus.rows(seed)) {
                Redaction redaction = redactor.redact(row.text());
                String problem =
                        "line " + row.line() + ", " + row.kind() + ": " + redaction.after();
                if (row.isClean()) {
                    lookAlikes++;
                    if (!redaction.isClean()) {
                        mistaken.add(problem);
                    }
                } else {
                    secrets++;
                    if (redaction.isClean()) {
                        missed.add(problem);
                    } else if (!redaction.after().equals(row.expected())) {
                        otherwise.add(problem);
                    }
                }
            }
        }
        double recall = 1 - (double) missed.size() / secrets;
        double falsePositives = (double) mistaken.size() / lookAlikes;
        System.out.printf(
                "redaction corpus: recall %.4f of %d secrets (%d in part or as another kind),"
                        + " false positives %.4f of %d look-alikes%n",
                recall, secrets, otherwise.size(), falsePositives, lookAlikes);
        missed.stream().distinct().limit(40).forEach(row -> System.out.println("missed: " + row));
        mistaken.stream()
                .distinct()
                .limit(40)
                .forEach(row -> System.out.println("mistaken: " + row));
        otherwise.stream()
                .distinct()
                .limit(40)
                .forEach(row -> System.out.println("otherwise: " + row));

        assertThat(secrets / SEEDS + lookAlikes / SEEDS).isGreaterThan(200);
        assertThat(recall).isGreaterThanOrEqualTo(RECALL_MIN);
        assertThat(falsePositives).isLessThanOrEqualTo(FALSE_POSITIVES_MAX);
        assertThat(otherwise).isEmpty();
    }
}
