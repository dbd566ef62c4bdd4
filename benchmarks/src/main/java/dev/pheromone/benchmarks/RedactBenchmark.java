package dev.pheromone.benchmarks;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;

import dev.pheromone.benchmarks.Row.Goal;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.redaction.PrivateWords;
import dev.pheromone.redaction.Redactor;
import dev.pheromone.redaction.Rules;

import java.time.Duration;
import java.util.List;

/// A large body looked through by all rules, beside one bare pattern over the same text.
final class RedactBenchmark implements Benchmark {

    private static final int ROUNDS = 40;
    private static final int WARM_UPS = 10;
    private static final int LOOKS_A_ROUND = 5;

    /// Nearly as long as a body may be.
    private static final int TEXT_LENGTH = 60 * 1024;

    /// What mail about work is full of: words that make a line worth a search, and a few finds.
    private static final String TELLING =
            """
            The token expires; see /home/grace/src/auth.c and write to grace@engines.org.
            password = "swordfish9" was in the config, the api_key: none and the secret unset.
            """;

    private static final Pattern BARE = Pattern.compile("[a-z0-9._]+@[a-z0-9.]+\\.[a-z]{2,}");

    @Override
    public String name() {
        return "redact";
    }

    @Override
    public List<Row> run(Setting setting) throws Exception {
        String text = text();
        Redactor redactor =
                new Redactor(
                        Rules.builtIn(),
                        new PrivateWords(List.of("ada"), List.of("plans/**"), List.of()));
        Duel duel =
                Duel.run(
                        setting.effort().rounds(WARM_UPS),
                        setting.effort().rounds(ROUNDS),
                        () -> timed(() -> redactor.redact(text).findings().size()),
                        () -> timed(() -> bareFinds(text)));
        return List.of(
                new Row.Measured(
                        name(),
                        "60 KiB looked through by all redaction rules",
                        "one bare re2j pattern over the same text",
                        duel,
                        Goal.shownAsTime()));
    }

    private interface Look {
        int finds();
    }

    private static double timed(Look look) {
        int finds = 0;
        long start = System.nanoTime();
        for (int i = 0; i < LOOKS_A_ROUND; i++) {
            finds += look.finds();
        }
        long nanos = System.nanoTime() - start;
        if (finds == 0) {
            throw new IllegalStateException("found nothing, expected what the text was made with");
        }
        return (double) nanos / LOOKS_A_ROUND;
    }

    private static int bareFinds(String text) {
        int finds = 0;
        for (Matcher matcher = BARE.matcher(text); matcher.find(); ) {
            finds++;
        }
        return finds;
    }

    private static String text() {
        StringBuilder text = new StringBuilder();
        SampleMail mail = new SampleMail();
        while (text.length() < TEXT_LENGTH) {
            Envelope envelope = mail.next(Duration.ZERO);
            text.append(envelope.bodyText()).append(TELLING);
        }
        return text.substring(0, TEXT_LENGTH);
    }
}
