package dev.pheromone.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Random;

/// What the quick reader reads, the reader of all JSON reads alike.
class QuickJsonTest {

    private static final int RUNS = Boolean.getBoolean("rsm.long") ? 1_000_000 : 30_000;

    private static final List<String> PARTS =
            List.of(
                    "{",
                    "}",
                    "[",
                    "]",
                    ",",
                    ":",
                    "\"",
                    "\"a\"",
                    "\"ts\"",
                    "\"data\"",
                    "\"id\":",
                    "\"b\":1",
                    "{}",
                    "[]",
                    "true",
                    "false",
                    "null",
                    "nul",
                    "0",
                    "-1",
                    "01",
                    "1.5e3",
                    "1.",
                    "-",
                    "NaN",
                    "Infinity",
                    " ",
                    "\t",
                    "\\",
                    "\\u0041",
                    "ä",
                    "\u007f",
                    "\0",
                    "\"x y\"",
                    "{\"a\":1}",
                    "{\"a\":1,\"a\":2}",
                    "[1,2]",
                    "//",
                    "'a'");

    @Test
    void anEventIsReadQuickly() throws MalformedJsonException {
        String line =
                "{\"ts\":\"2026-11-18T17:25:06.183Z\", \"type\":\"a\",\"data\":{\"to\":[\"x\",2],"
                        + "\"over\":true,\"n\":null,\"e\":{},\"l\":[]}}";
        assertThat(QuickJson.read(line)).isNotNull().isEqualTo(JsonReader.readAny(line));
        assertThat(String.valueOf(QuickJson.read(line)))
                .isEqualTo(JsonReader.readAny(line).toString());
    }

    @Test
    void whatIsNotSimpleIsLeftToOthers() {
        for (String text :
                List.of(
                        "",
                        "{\"a\":\"\\n\"}",
                        "{\"a\":\"ä\"}",
                        "{\"a\":1,\"a\":2}",
                        "{\"a\":NaN}",
                        "[".repeat(20) + "]".repeat(20),
                        "{\"a\":1} x",
                        "{\"a\":1,}",
                        "{\"a\":1")) {
            assertThat(QuickJson.read(text)).as(text).isNull();
        }
    }

    @Test
    void whateverItReadsTheOtherReadsAlike() throws MalformedJsonException {
        long seed = Long.getLong("rsm.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int run = 0; run < RUNS; run++) {
            StringBuilder text = new StringBuilder(random.nextBoolean() ? "{" : "");
            for (int i = random.nextInt(12); i >= 0; i--) {
                text.append(PARTS.get(random.nextInt(PARTS.size())));
            }
            if (random.nextBoolean()) {
                text.append('}');
            }
            Json quick = QuickJson.read(text.toString());
            if (quick != null) {
                Json other = JsonReader.readAny(text.toString());
                assertThat(quick).as("%s, seed %d", text, seed).isEqualTo(other);
                assertThat(quick).as("%s, seed %d", text, seed).hasToString(other.toString());
            }
        }
    }
}
