package dev.pheromone.envelope;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;

/// Makes bytes that are nearly envelopes: takes good ones and spoils them, mostly with what has a
/// meaning in a header.
final class Mutator {

    private static final List<String> PIECES =
            List.of(
                    "---\n",
                    "---",
                    "\n",
                    "\r\n",
                    "\r",
                    ": ",
                    ":",
                    " #",
                    "#",
                    "- ",
                    "-",
                    "  - x\n",
                    "[",
                    "]",
                    ", ",
                    ",",
                    "\"",
                    "'",
                    "''",
                    "\\",
                    "\\u00e9",
                    "\\ud83d\\ude00",
                    "\\ud83d",
                    "\\x41",
                    "\\n",
                    "\\/",
                    "{",
                    "}",
                    "&a ",
                    "*a",
                    "!!str ",
                    "|\n",
                    ">\n",
                    "? ",
                    "?",
                    "%",
                    "@",
                    "`",
                    "\t",
                    "\0",
                    " ",
                    "~",
                    "null",
                    "\u00e9",
                    "\ud83d\ude00",
                    "\u202e",
                    "\u2028",
                    "\u0085",
                    "\ufeff",
                    "\u00a0",
                    "\uffff",
                    "<<: x\n",
                    "sig: ",
                    "kid: k1\n",
                    "x_1: y\n",
                    "to:\n",
                    "tags: []\n",
                    "hops: 8\n",
                    "id: ",
                    "...\n",
                    "---\n---\n");

    private final RandomGenerator random;
    private final List<byte[]> seeds;

    Mutator(RandomGenerator random, List<byte[]> seeds) {
        this.random = random;
        this.seeds = seeds;
    }

    byte[] next() {
        byte[] bytes = any();
        for (int steps = 1 + random.nextInt(4); steps > 0; steps--) {
            bytes = mutated(bytes);
        }
        return bytes;
    }

    private byte[] mutated(byte[] bytes) {
        // Most places are in the header: that is where the grammar is.
        int bound = random.nextInt(8) == 0 ? bytes.length : Math.min(bytes.length, 600);
        int at = random.nextInt(bound + 1);
        int end = Math.min(bytes.length, at + random.nextInt(12));
        return switch (random.nextInt(8)) {
            case 0, 1, 2 -> splice(bytes, at, piece(), at);
            case 3 -> splice(bytes, at, piece(), end);
            case 4 -> splice(bytes, at, new byte[0], end);
            case 5 ->
                    splice(
                            bytes,
                            at,
                            new byte[] {(byte) random.nextInt(256)},
                            Math.min(at + 1, bytes.length));
            case 6 -> splice(bytes, at, part(any()), end);
            default ->
                    splice(
                            bytes,
                            at,
                            piece(),
                            bytes.length - random.nextInt(bytes.length - at + 1));
        };
    }

    private byte[] any() {
        return seeds.get(random.nextInt(seeds.size()));
    }

    private byte[] part(byte[] bytes) {
        int start = random.nextInt(bytes.length + 1);
        return Arrays.copyOfRange(bytes, start, Math.min(bytes.length, start + random.nextInt(80)));
    }

    private byte[] piece() {
        return PIECES.get(random.nextInt(PIECES.size())).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] splice(byte[] bytes, int start, byte[] middle, int end) {
        byte[] spliced = Arrays.copyOf(bytes, start + middle.length + bytes.length - end);
        System.arraycopy(middle, 0, spliced, start, middle.length);
        System.arraycopy(bytes, end, spliced, start + middle.length, bytes.length - end);
        return spliced;
    }
}
