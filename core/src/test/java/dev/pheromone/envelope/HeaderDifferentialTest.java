package dev.pheromone.envelope;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;

/// Holds our header reader against a YAML library: whatever ours accepts, the library accepts with
/// the same values.
///
/// The headers are made up of everything that means something in YAML. The seed is new each time
/// and is in the message of a failure; `-Drsm.seed` replays it.
class HeaderDifferentialTest {

    private static final int RUNS = Boolean.getBoolean("rsm.long") ? 1_000_000 : 10_000;

    private static final List<String> ATOMS =
            List.of(
                    "a",
                    "b1",
                    " ",
                    "  ",
                    ":",
                    ": ",
                    "#",
                    " #",
                    "-",
                    "- ",
                    "?",
                    "? ",
                    ",",
                    ", ",
                    "[",
                    "]",
                    "{",
                    "}",
                    "&",
                    "*",
                    "!",
                    "|",
                    ">",
                    "'",
                    "''",
                    "\"",
                    "%",
                    "@",
                    "`",
                    "~",
                    "=",
                    "<<",
                    ".",
                    "...",
                    "---",
                    "\\",
                    "\\\\",
                    "\\\"",
                    "\\/",
                    "\\u0041",
                    "\\x7e",
                    "\\ud83d\\ude00",
                    "\\t",
                    "\\N",
                    "é",
                    "\u00a0",
                    "😀",
                    "null",
                    "1e3",
                    "0x1F",
                    "2025-11-03",
                    "queen://code",
                    "\u200e");

    private final long seed = Long.getLong("rsm.seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);

    @Test
    void whateverIsAcceptedMeansTheSameToAYamlLibrary() {
        int accepted = 0;
        for (int run = 0; run < RUNS; run++) {
            String header = header();
            try {
                EnvelopeText text = EnvelopeText.parse(bytes("---\n" + header + "---\nbody"));
                accepted++;
                YamlOracle.checkAgreement(text);
            } catch (MalformedEnvelopeException e) {
                assertThat(e.isIncomplete())
                        .as("seed %d, run %d:%n%s", seed, run, header)
                        .isFalse();
            } catch (Exception | AssertionError e) {
                throw new AssertionError("seed %d, run %d:%n%s".formatted(seed, run, header), e);
            }
        }
        assertThat(accepted).as("seed %d: accepted of %d", seed, RUNS).isGreaterThan(RUNS / 10);
    }

    @Test
    void whateverIsWrittenIsReadAsItWasMeant() throws Exception {
        for (int run = 0; run < RUNS; run++) {
            String first = value();
            List<String> list = List.of(value(), value());
            String header = "a: " + ScalarText.of(first) + "\nb: " + ScalarText.ofList(list) + "\n";
            EnvelopeText text = EnvelopeText.parse(bytes("---\n" + header + "---\n"));
            assertThat(text.fields().get(0).values())
                    .as("seed %d, run %d:%n%s", seed, run, header)
                    .containsExactly(first);
            assertThat(text.fields().get(1).values())
                    .as("seed %d, run %d", seed, run)
                    .isEqualTo(list);
            YamlOracle.checkAgreement(text);
        }
    }

    private String header() {
        StringBuilder header = new StringBuilder();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            field("k" + i, header);
        }
        return header.toString();
    }

    private void field(String key, StringBuilder header) {
        header.append(key).append(':');
        switch (random.nextInt(6)) {
            case 0 -> header.append(' ').append(value()).append(lineEnd());
            case 1 -> header.append(" \"").append(value()).append('"').append(lineEnd());
            case 2 -> header.append(" '").append(value()).append('\'').append(lineEnd());
            case 3 ->
                    header.append(" [")
                            .append(item())
                            .append(", ")
                            .append(item())
                            .append(']')
                            .append(lineEnd());
            case 4 -> blockList(header);
            default -> header.append(random.nextBoolean() ? "" : " # " + value()).append(lineEnd());
        }
        if (random.nextInt(8) == 0) {
            header.append(random.nextBoolean() ? "#" + value() : "  ").append(lineEnd());
        }
    }

    private void blockList(StringBuilder header) {
        String indent = " ".repeat(random.nextInt(3));
        header.append(lineEnd());
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            header.append(indent).append("- ").append(item()).append(lineEnd());
        }
    }

    private String item() {
        return switch (random.nextInt(3)) {
            case 0 -> '"' + value() + '"';
            case 1 -> '\'' + value() + '\'';
            default -> value();
        };
    }

    private String value() {
        StringBuilder value = new StringBuilder();
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            value.append(ATOMS.get(random.nextInt(ATOMS.size())));
        }
        return value.toString();
    }

    private String lineEnd() {
        return random.nextInt(4) == 0 ? "\r\n" : "\n";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
