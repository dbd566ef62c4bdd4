package dev.pheromone.rse;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/// Random damage to real lines: nothing may throw or hang, and what is read must be writable and
/// readable again.
///
/// A failure names the seed; a million runs with `-Drsm.long=true`, each with a seed of its own.
class RseFuzzTest {

    private static final long FIRST_SEED = 20251015;
    private static final int RUNS = Boolean.getBoolean("rsm.long") ? 1_000_000 : 10_000;

    private static final List<byte[]> CORPUS = corpus();

    private static List<byte[]> corpus() {
        var lines = new ArrayList<byte[]>();
        RseLineTest.oneOfEachType().map(RseLine::write).forEach(lines::add);
        for (String odd :
                List.of(
                        "{\"ts\":\"2025-10-15T17:10:00.1234567\",\"event\":\"x\",\"target\":\"y\",\"note\":\"café\"}\n",
                        "\ufeff[{\"type\":\"a\",\"ts\":\"\"},{\"type\":\"b\",\"ts\":-Infinity}]\r\n",
                        "{\"type\":\"pheromone_drop\",\"data\":{\"topic\":\"\\ud800\",\"n\":1e999999999,\"tags\":[[[]]]}}\n")) {
            lines.add(odd.getBytes(StandardCharsets.UTF_8));
            lines.add(odd.getBytes(Charset.forName("windows-1252")));
        }
        return lines;
    }

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void noDamageStopsTheReader() {
        for (int run = 0; run < RUNS; run++) {
            long seed = FIRST_SEED + run;
            byte[] log = damaged(new SplittableRandom(seed));
            try {
                check(log);
            } catch (RuntimeException | AssertionError | StackOverflowError e) {
                throw new AssertionError(
                        "seed " + seed + ": " + new String(log, StandardCharsets.ISO_8859_1), e);
            }
        }
    }

    // Plain conditions: a million runs should spend their time in the reader.
    private static void check(byte[] log) {
        var lines = new RseLines(0);
        var entries = new ArrayList<>(lines.feed(log, log.length));
        entries.addAll(lines.rest());
        require(lines.offset() + lines.held() == log.length, "every byte is read or held back");
        for (RseEntry entry : entries) {
            require(
                    entry.offset() < entry.end() && entry.end() <= log.length,
                    "places are within the log");
            if (entry instanceof RseEntry.Read read) {
                byte[] written = RseLine.write(read.event());
                require(written.length <= RseLine.WRITTEN_BYTES_MAX, "written lines are short");
                List<RseEntry> again =
                        RseLine.read(Arrays.copyOf(written, written.length - 1), 0, Instant.EPOCH);
                require(
                        again.size() == 1
                                && again.getFirst() instanceof RseEntry.Read same
                                && same.event().type().equals(read.event().type()),
                        "what is written is read as what it was");
            }
        }
    }

    private static void require(boolean condition, String rule) {
        if (!condition) {
            throw new AssertionError(rule);
        }
    }

    private static byte[] damaged(SplittableRandom random) {
        byte[] log = pick(random);
        for (int more = random.nextInt(3); more > 0; more--) {
            log = joined(log, log.length, pick(random), 0);
        }
        for (int damage = random.nextInt(1, 6); damage > 0 && log.length > 0; damage--) {
            int at = random.nextInt(log.length);
            switch (random.nextInt(6)) {
                case 0 -> log[at] = (byte) random.nextInt(256);
                case 1 -> log[at] ^= (byte) (1 << random.nextInt(8));
                case 2 -> log = joined(log, at, log, Math.min(log.length, at + random.nextInt(20)));
                case 3 -> log = joined(log, at, log, random.nextInt(at + 1));
                case 4 -> log[at] = (byte) "{}[]\":,\\\n-0eE.".charAt(random.nextInt(14));
                default -> {
                    byte[] other = pick(random);
                    log = joined(log, at, other, random.nextInt(other.length));
                }
            }
        }
        return log;
    }

    private static byte[] pick(SplittableRandom random) {
        return CORPUS.get(random.nextInt(CORPUS.size())).clone();
    }

    private static byte[] joined(byte[] head, int headEnd, byte[] tail, int tailStart) {
        byte[] both = Arrays.copyOf(head, headEnd + tail.length - tailStart);
        System.arraycopy(tail, tailStart, both, headEnd, tail.length - tailStart);
        return both;
    }
}
