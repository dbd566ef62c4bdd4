package dev.pheromone.redaction;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.regex.Pattern;

/// Secrets and look-alikes, as `corpus.txt` and `unseen.txt` have them.
final class Corpus {

    /// One text, and what is to become of it.
    ///
    /// @param kind what is to be found in it, or `clean`
    /// @param secrets what must not be left of it
    record Row(int line, String kind, String text, String expected, List<String> secrets) {

        boolean isClean() {
            return kind.equals("clean");
        }
    }

    private static final String ALPHA = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private static final String DIGIT = "0123456789";
    private static final Map<String, String> SETS =
            Map.of(
                    "alpha", ALPHA,
                    "alnum", ALPHA + DIGIT,
                    "lower", ALPHA.substring(26) + DIGIT,
                    "upper", ALPHA.substring(0, 26) + DIGIT,
                    "digit", DIGIT,
                    "hex", DIGIT + "abcdef",
                    "b32", ALPHA.substring(0, 26) + "234567",
                    "b64", ALPHA + DIGIT + "+/",
                    "b64u", ALPHA + DIGIT + "-_");
    private static final Pattern RANDOM = Pattern.compile("\\{([a-z0-9]+):([0-9]+)}");
    private static final Pattern SECRET = Pattern.compile("⟦[^⟧]*⟧");

    private Corpus() {}

    /// The rows that the rules were made with, filled with characters that `seed` chooses.
    static List<Row> rows(long seed) throws IOException {
        return rows("/corpus.txt", seed);
    }

    static List<Row> rows(String file, long seed) throws IOException {
        List<Row> rows = new ArrayList<>();
        int number = 0;
        for (String line : text(file).lines().toList()) {
            number++;
            if (!line.isBlank() && !line.startsWith("#")) {
                rows.add(row(number, line, seed));
            }
        }
        return rows;
    }

    private static Row row(int number, String line, long seed) {
        int bar = line.indexOf(" | ");
        String kind = line.substring(0, bar);
        RandomGenerator random = RandomGeneratorFactory.getDefault().create(seed * 10_007 + number);
        String marked =
                RANDOM.matcher(line.substring(bar + 3))
                        .replaceAll(found -> characters(random, found.group(1), found.group(2)))
                        .replace("\\\\", "\0")
                        .replace("\\n", "\n")
                        .replace("\\|", "|")
                        .replace("\0", "\\");
        String mark = "[REDACTED:" + kind + "]";
        return new Row(
                number,
                kind,
                marked.replace("⟦", "").replace("⟧", ""),
                SECRET.matcher(marked).replaceAll(found -> mark),
                SECRET.matcher(marked)
                        .results()
                        .map(found -> found.group().replace("⟦", "").replace("⟧", ""))
                        .toList());
    }

    private static String characters(RandomGenerator random, String set, String count) {
        String from = Objects.requireNonNull(SETS.get(set), set);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < Integer.parseInt(count); i++) {
            text.append(from.charAt(random.nextInt(from.length())));
        }
        return text.toString();
    }

    private static String text(String file) throws IOException {
        try (InputStream in = Corpus.class.getResourceAsStream(file)) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
