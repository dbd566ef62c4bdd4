package dev.pheromone.envelope;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;

class PackedBytesTest {

    private static final int LENGTH = 40;

    /// Every byte at every place, with each of the others that may deceive a word-wise look behind
    /// it.
    @Test
    void eachByteIsFoundWhereverItStands() {
        int[] companions = {'a', ' ', 0x7E, 0x7F, 0x1F, 0x00, 0x80, 0xFF, ':', '#', '"', ';', '9'};
        for (int value = 0; value <= 0xFF; value++) {
            for (int place = 0; place < 17; place++) {
                for (int companion : companions) {
                    byte[] bytes = new byte[17];
                    Arrays.fill(bytes, (byte) 'a');
                    bytes[place] = (byte) value;
                    Arrays.fill(bytes, place + 1, bytes.length, (byte) companion);
                    check(bytes, 0, bytes.length);
                }
            }
        }
    }

    @Test
    void anyStretchOfAnyBytesIsReadLikeOneByOne() {
        SplittableRandom random = new SplittableRandom(7);
        for (int run = 0; run < 20_000; run++) {
            byte[] bytes = new byte[LENGTH];
            for (int i = 0; i < LENGTH; i++) {
                bytes[i] = (byte) (random.nextInt(8) == 0 ? random.nextInt(256) : 'a');
            }
            int from = random.nextInt(LENGTH + 1);
            check(bytes, from, random.nextInt(from, LENGTH + 1));
        }
    }

    private static void check(byte[] bytes, int from, int end) {
        PackedBytes packed = new PackedBytes(bytes);
        assertThat(packed.afterPrintable(from, end))
                .as("%s from %d to %d", Arrays.toString(bytes), from, end)
                .isEqualTo(first(bytes, from, end, b -> b < ' ' || b >= 0x7F));
        assertThat(packed.nextColonOrSharp(from, end))
                .as("%s from %d to %d", Arrays.toString(bytes), from, end)
                .isEqualTo(first(bytes, from, end, b -> b == ':' || b == '#'));
    }

    private static int first(byte[] bytes, int from, int end, IntPredicate wanted) {
        int at = from;
        while (at < end && !wanted.test(bytes[at] & 0xFF)) {
            at++;
        }
        return at;
    }
}
